package serve

import "sync"

// recent keeps the values that were asked for lately: at least half as many as it may hold. When
// the newer half is full, the older one is dropped.
type recent[K comparable, V any] struct {
	most  int // what both halves may weigh
	weigh func(K, V) int

	mu         sync.Mutex
	newer, old map[K]V
	weight     int // of the newer half
}

// get returns a value, which is then in the newer half.
func (r *recent[K, V]) get(k K) (v V, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if v, ok = r.newer[k]; ok {
		return v, true
	}
	if v, ok = r.old[k]; ok {
		r.add(k, v)
	}
	return v, ok
}

func (r *recent[K, V]) put(k K, v V) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.add(k, v)
}

// add puts a value into the newer half, unless it weighs more than that holds. The lock must be
// held.
func (r *recent[K, V]) add(k K, v V) {
	w := r.weigh(k, v)
	if r.newer == nil || r.weight+w > r.most/2 {
		r.old, r.newer, r.weight = r.newer, map[K]V{}, 0
	}
	if w <= r.most/2 {
		r.newer[k] = v
		r.weight += w
	}
}
