package surface

import (
	"fmt"
	"slices"
	"strings"

	"ein/bench/question/random"
	"ein/internal/lists"
)

// pool is a set of labels: the core, and for larger graphs extra ones that are
// made by a scheme of their own. A label has no space, no punctuation but a
// hyphen inside, and does not begin another label, so that even a reader who
// cuts one short finds no wrong node. Only the single letters do: B begins B10.
type pool struct {
	name  string
	core  []string
	extra int
	more  func(i int) string
}

// The cores leave out what a sentence could be misread with: the words A and I,
// names that are words (Grace, Mark), animals that are verbs (bear, crane).
var (
	letters = strings.Fields("B C D E F G H J K L M N O P Q R S T U V W X Y Z")
	names   = strings.Fields(`Ada Boris Carlos Daria Elena Farid Greta Hugo Ines Jonas Kira Leo Mira Nadia Oscar
		Petra Quentin Rosa Selim Tara Umar Vera Wanda Xavier Yusuf Zelda Bianca Emil Lucia Tomas`)
	animals = strings.Fields(`alpaca bison camel dingo egret falcon gecko heron iguana jackal koala lemur marmot
		narwhal ocelot panther quetzal raccoon salmon tapir urchin vole walrus xerus yabby zebra otter gibbon lizard cicada`)

	// Further names are a stem and an ending, Dov + inka; further animals a place
	// or a colour and an animal, mossotter. No stem or place begins another, so
	// that no two pairs run together into the same label.
	stems = strings.Fields(`Alv Ber Bald Cas Cyr Dal Dov Edr Elv Fab Fen Gal Gund Hal Hedv Ild Isk Jar Jov Kal
		Kesk Lav Lor Lud Mal Mord Nav Nor Olv Orl Pav Pel Quil Rad Rog Sav Sig Tav Ter Ulv Urs Val Ves Wig Yar Zor`)
	endings = strings.Fields(`adin agor alio amir andro anek arik ashi avel azar edric ekka elio emira endal enko
		erva esca etta evin ibert idra igor ilda imon inka ioth irena isaac itza oban odile okar olan omir
		onka orin osta ovic ozan udo ulf umi unda ursa usha`)
	places = strings.Fields(`amber arctic ash azure bay birch black blue bog brown canyon cave cedar cliff coast
		copper coral crag creek delta desert dune dusk fen fern fjord forest frost glade golden gorge grass grey grove
		gulf heath hill indigo island ivory jade jungle lagoon lake marsh maple meadow mesa moor moss mountain night
		ocean olive pine pond prairie red reef ridge river rock rust sand silver snow swamp tundra valley violet white`)
)

var pools = [...]pool{
	{"letters", letters, 90 * len(letters), func(i int) string {
		return letters[i%len(letters)] + fmt.Sprint(10+i/len(letters))
	}},
	{"names", names, len(stems) * len(endings), func(i int) string {
		return stems[i%len(stems)] + endings[i/len(stems)]
	}},
	// Three characters where the core has two, the first of them a letter, so
	// that srv-10 does not begin srv-100.
	{"servers", lists.Map(lists.Upto(30), server), 70 + 26*100, func(i int) string {
		if i < 70 {
			return server(30 + i)
		}
		return fmt.Sprintf("srv-%c%02d", 'a'+(i-70)/100, (i-70)%100)
	}},
	{"animals", animals, len(places) * len(animals), func(i int) string {
		return places[i/len(animals)] + animals[i%len(animals)]
	}},
}

func server(i int) string { return fmt.Sprintf("srv-%02d", i) }

func poolNamed(name string) *pool {
	i := slices.IndexFunc(pools[:], func(l pool) bool { return l.name == name })
	if i < 0 {
		panic("BUG: surface: no label pool " + name)
	}
	return &pools[i]
}

// size returns how many labels a part has.
func (l *pool) size(p Partition) int { return p.of(len(l.core)) + p.of(l.extra) }

// draw returns n distinct labels: the core in random order, then extra ones. The
// labels of a smaller n are the first of those of a larger.
func (l *pool) draw(s *random.Stream, n int, p Partition) []string {
	out := make([]string, 0, n)
	for _, i := range sample(s, p.of(len(l.core)), min(n, p.of(len(l.core)))) {
		out = append(out, l.core[p.at(i)])
	}
	for _, i := range sample(s, p.of(l.extra), n-len(out)) {
		out = append(out, l.more(p.at(i)))
	}
	return out
}

// sample returns k distinct numbers of 0..n-1. It shuffles from the front, so that
// the sample of a smaller k is the beginning of that of a larger.
func sample(s *random.Stream, n, k int) []int {
	if k == 0 {
		return nil
	}
	p := lists.Upto(n)
	for i := range k {
		j := i + s.IntN(n-i)
		p[i], p[j] = p[j], p[i]
	}
	return p[:k]
}
