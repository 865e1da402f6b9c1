//! The engines of Datalog in Rust: one case of one engine, timed from rows in memory to
//! the rows of the answer.
//!
//!     peers ENGINE CASE RELATION=FILE.npy...
//!
//! prints seconds of wall time, seconds of processor time, how many rows there are, and by
//! how many bytes the process grew; 0 where the system does not say.
//! What takes less than a second is run twice, and the second run counts: the memory is
//! there by then, as it is for the others.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use ascent::{ascent, Dual};

type Pair = (u32, u32);

/// The relations of a case, by columns.
struct Facts(HashMap<String, Vec<Vec<u32>>>);

impl Facts {
    fn read(args: &[String]) -> Facts {
        let mut of = HashMap::new();
        for arg in args {
            let (name, file) = arg.split_once('=').expect("RELATION=FILE.npy");
            let bytes = std::fs::read(file).expect(file);
            let header = 10 + u16::from_le_bytes([bytes[8], bytes[9]]) as usize;
            let text = std::str::from_utf8(&bytes[10..header]).expect("a header");
            let shape = &text[text.find("(").expect("a shape") + 1..];
            let columns: usize = shape[..shape.find(',').expect("two numbers")].parse().expect("a number");
            let cells: Vec<u32> = bytes[header..].chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
            let rows = cells.len() / columns;
            of.insert(name.to_string(), cells.chunks_exact(rows).map(|c| c.to_vec()).collect());
        }
        Facts(of)
    }

    fn pairs(&self, name: &str) -> Vec<Pair> {
        let c = &self.0[name];
        c[0].iter().copied().zip(c[1].iter().copied()).collect()
    }

    fn triples(&self, name: &str) -> Vec<(u32, u32, u32)> {
        let c = &self.0[name];
        (0..c[0].len()).map(|i| (c[0][i], c[1][i], c[2][i])).collect()
    }
}

mod left {
    ascent::ascent! {
        relation e(u32, u32);
        relation far(u32, u32);
        far(x, y) <-- e(x, y);
        far(x, z) <-- far(x, y), e(y, z);
    }
    pub fn run(f: &super::Facts) -> usize {
        let mut p = AscentProgram::default();
        p.e = f.pairs("E");
        p.run();
        p.far.len()
    }
}

mod right {
    ascent::ascent! {
        relation e(u32, u32);
        relation far(u32, u32);
        far(x, y) <-- e(x, y);
        far(x, z) <-- e(x, y), far(y, z);
    }
    pub fn run(f: &super::Facts) -> usize {
        let mut p = AscentProgram::default();
        p.e = f.pairs("E");
        p.run();
        p.far.len()
    }
}

mod double {
    ascent::ascent! {
        relation e(u32, u32);
        relation far(u32, u32);
        far(x, y) <-- e(x, y);
        far(x, z) <-- far(x, y), far(y, z);
    }
    pub fn run(f: &super::Facts) -> usize {
        let mut p = AscentProgram::default();
        p.e = f.pairs("E");
        p.run();
        p.far.len()
    }
}

mod generation {
    ascent::ascent! {
        relation up(u32, u32);
        relation same(u32, u32);
        same(x, y) <-- up(x, p), up(y, p);
        same(x, y) <-- up(x, p), same(p, q), up(y, q);
    }
    pub fn run(f: &super::Facts) -> usize {
        let mut p = AscentProgram::default();
        p.up = f.pairs("Up");
        p.run();
        p.same.len()
    }
}

mod points {
    ascent::ascent! {
        relation addr(u32, u32);
        relation assign(u32, u32);
        relation load(u32, u32);
        relation store(u32, u32);
        relation points(u32, u32);
        points(v, o) <-- addr(v, o);
        points(v, o) <-- assign(v, w), points(w, o);
        points(v, o) <-- load(v, w), points(w, p), points(p, o);
        points(p, o) <-- store(v, w), points(v, p), points(w, o);
    }
    pub fn run(f: &super::Facts) -> usize {
        let mut p = AscentProgram::default();
        p.addr = f.pairs("Addr");
        p.assign = f.pairs("Assign");
        p.load = f.pairs("Load");
        p.store = f.pairs("Store");
        p.run();
        p.points.len()
    }
}

mod cspa {
    ascent::ascent! {
        relation assign(u32, u32);
        relation deref(u32, u32);
        relation flow(u32, u32);
        relation memory(u32, u32);
        relation alias(u32, u32);
        flow(y, x) <-- assign(y, x);
        flow(x, x) <-- assign(x, _);
        flow(x, x) <-- assign(_, x);
        flow(x, y) <-- assign(x, z), memory(z, y);
        flow(x, y) <-- flow(x, z), flow(z, y);
        memory(x, x) <-- assign(_, x);
        memory(x, x) <-- assign(x, _);
        memory(x, w) <-- deref(y, x), alias(y, z), deref(z, w);
        alias(x, y) <-- flow(z, x), flow(z, y);
        alias(x, y) <-- flow(z, x), memory(z, w), flow(w, y);
    }
    pub fn run(f: &super::Facts) -> usize {
        let mut p = AscentProgram::default();
        p.assign = f.pairs("Assign");
        p.deref = f.pairs("Deref");
        p.run();
        p.flow.len() + 1_000 * p.memory.len() + 1_000_000 * p.alias.len()
    }
}

mod triangles {
    ascent::ascent! {
        relation e(u32, u32);
        relation t(u32, u32, u32);
        t(x, y, z) <-- e(x, y), e(y, z), e(x, z);
    }
    pub fn run(f: &super::Facts) -> usize {
        let mut p = AscentProgram::default();
        p.e = f.pairs("E");
        p.run();
        p.t.len()
    }
}

mod cliques {
    ascent::ascent! {
        relation e(u32, u32);
        relation c(u32, u32, u32, u32);
        c(w, x, y, z) <-- e(w, x), e(x, y), e(w, y), e(y, z), e(w, z), e(x, z);
    }
    pub fn run(f: &super::Facts) -> usize {
        let mut p = AscentProgram::default();
        p.e = f.pairs("E");
        p.run();
        p.c.len()
    }
}

ascent! {
    struct Labels;
    relation e(u32, u32);
    relation start(u32, u32);
    relation both(u32, u32);
    lattice l(u32, Dual<u32>);
    both(x, y) <-- e(x, y);
    both(y, x) <-- e(x, y);
    l(x, Dual(*v)) <-- start(x, v);
    l(y, v) <-- l(x, v), both(x, y);
}

fn labels(f: &Facts) -> usize {
    let mut p = Labels::default();
    p.e = f.pairs("E");
    p.start = f.pairs("Start");
    p.run();
    p.l.len()
}

ascent! {
    struct Roads;
    relation road(u32, u32, u32);
    lattice d(u32, Dual<u32>);
    d(0, Dual(0));
    d(y, Dual(v.0 + w)) <-- d(x, v), road(x, y, w);
}

fn roads(f: &Facts) -> usize {
    let mut p = Roads::default();
    p.road = f.triples("Road");
    p.run();
    p.d.len()
}

mod groups {
    use ascent::aggregators::{count, sum};
    ascent::ascent! {
        relation pay(u32, u32, u32);
        relation key(u32, u32);
        relation total(u32, u32, usize, u32);
        key(x, y) <-- pay(x, y, _);
        total(x, y, n, s) <-- key(x, y), agg n = count() in pay(x, y, _), agg s = sum(v) in pay(x, y, v);
    }
    pub fn run(f: &super::Facts) -> usize {
        let mut p = AscentProgram::default();
        p.pay = f.triples("Pay");
        p.run();
        p.total.len()
    }
}

/// Pairs by their second column.
fn turned(pairs: &[Pair]) -> datafrog::Relation<Pair> {
    datafrog::Relation::from_iter(pairs.iter().map(|&(a, b)| (b, a)))
}

fn frog_closure(f: &Facts) -> usize {
    let mut iteration = datafrog::Iteration::new();
    let far = iteration.variable::<Pair>("far"); // by the second column
    let edges = datafrog::Relation::from_vec(f.pairs("E"));
    far.extend(f.pairs("E").into_iter().map(|(x, y)| (y, x)));
    while iteration.changed() {
        far.from_join(&far, &edges, |_, &x, &z| (z, x));
    }
    far.complete().len()
}

fn frog_points(f: &Facts) -> usize {
    let mut iteration = datafrog::Iteration::new();
    let points = iteration.variable::<Pair>("points");
    let loaded = iteration.variable::<Pair>("loaded"); // what is loaded from, and by whom
    let stored = iteration.variable::<Pair>("stored"); // what is stored, and where to
    let (assign, load) = (turned(&f.pairs("Assign")), turned(&f.pairs("Load")));
    let store = datafrog::Relation::from_vec(f.pairs("Store"));
    points.extend(f.pairs("Addr"));
    while iteration.changed() {
        points.from_join(&points, &assign, |_, &o, &v| (v, o));
        loaded.from_join(&points, &load, |_, &p, &v| (p, v));
        points.from_join(&loaded, &points, |_, &v, &o| (v, o));
        stored.from_join(&points, &store, |_, &p, &w| (w, p));
        points.from_join(&stored, &points, |_, &p, &o| (p, o));
    }
    points.complete().len()
}

/// The processor time of the process.
fn processor() -> Duration {
    #[repr(C)]
    struct Time {
        seconds: i64,
        nanoseconds: i64,
    }
    extern "C" {
        fn clock_gettime(clock: i32, time: *mut Time) -> i32;
    }
    let clock = if cfg!(target_os = "macos") { 12 } else { 2 };
    let mut t = Time { seconds: 0, nanoseconds: 0 };
    unsafe { clock_gettime(clock, &mut t) };
    Duration::new(t.seconds as u64, t.nanoseconds as u32)
}

/// A number of bytes that the system has about this process.
fn status(key: &str) -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|l| l.strip_prefix(key));
    1024 * line.and_then(|l| l.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0)
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let run: fn(&Facts) -> usize = match (args[1].as_str(), args[2].as_str()) {
        ("ascent", "left") => left::run,
        ("ascent", "right") => right::run,
        ("ascent", "double") => double::run,
        ("ascent", "generation") => generation::run,
        ("ascent", "points") => points::run,
        ("ascent", "cspa") => cspa::run,
        ("ascent", "triangles") => triangles::run,
        ("ascent", "cliques") => cliques::run,
        ("ascent", "labels") => labels,
        ("ascent", "roads") => roads,
        ("ascent", "groups") => groups::run,
        ("datafrog", "left") => frog_closure,
        ("datafrog", "points") => frog_points,
        (engine, case) => panic!("{engine} has no {case}"),
    };
    let facts = Facts::read(&args[3..]);
    let _ = std::fs::write("/proc/self/clear_refs", "5"); // the peak is now what there is
    let loaded = status("VmRSS:");
    let (mut wall, mut used, mut rows) = (Duration::ZERO, Duration::ZERO, 0);
    for _ in 0..2 {
        let (start, before) = (Instant::now(), processor());
        rows = run(&facts);
        (wall, used) = (start.elapsed(), processor() - before);
        if wall.as_secs() > 0 {
            break;
        }
    }
    println!("{} {} {} {}", wall.as_secs_f64(), used.as_secs_f64(), rows, status("VmHWM:").saturating_sub(loaded));
}
