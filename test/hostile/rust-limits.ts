/** Rust that wants more of time, memory, output and threads than it has, or stops its compiler. */
import { rustSum as sum } from './rust-verdicts.ts'
import { BOMB, ENDLESS, GREEDY, silenced, STOPPED, WRONG, type Hostile } from './program.ts'

const HONEST = `pub fn sum(a: i64, b: i64) -> i64 {
    a + b
}
`

/** The compiler may well get through it; then the answer is wrong. */
const bomb = (before: string) => sum('a - b - 1', before)

export const rustLimits: readonly Hostile[] = [
  {
    kind: 1,
    name: 'a loop without end',
    task: 'sum',
    source: sum('let _ = a + b;\n    loop {\n        std::hint::spin_loop()\n    }'),
    expect: ENDLESS,
  },
  {
    kind: 1,
    name: 'a busy thread that the tests do not wait for, and a wait',
    task: 'sum',
    source: ({ mark }) =>
      sum(
        `let busy = std::thread::Builder::new().name("${mark}".into()).spawn(|| loop { std::hint::spin_loop() });
    let _ = busy.map(|one| one.join());
    a + b`,
      )(),
    expect: ENDLESS,
  },
  {
    kind: 2,
    name: 'sleeps',
    task: 'sum',
    source: sum('std::thread::sleep(std::time::Duration::from_secs(600));\n    a + b'),
    expect: ENDLESS,
  },
  {
    kind: 2,
    name: 'waits for itself',
    task: 'sum',
    source: sum(
      'let (_send, take) = std::sync::mpsc::channel::<()>();\n    let _ = take.recv();\n    a + b',
    ),
    expect: ENDLESS,
  },
  {
    kind: 18,
    name: 'a list without end',
    task: 'sum',
    source: sum(
      'let mut kept = Vec::new();\n    loop {\n        kept.push(vec![a + b; 1 << 20]);\n    }',
    ),
    expect: GREEDY,
  },
  {
    kind: 19,
    name: 'eight gigabytes at once',
    task: 'sum',
    source: sum('vec![1u8; 8 << 30].iter().map(|one| *one as i64).sum::<i64>() + a + b'),
    expect: GREEDY,
  },
  {
    kind: 20,
    name: 'threads with half a gigabyte each',
    task: 'sum',
    source: sum(
      `let all: Vec<_> = (0..40).map(|n| std::thread::spawn(move || { let kept = vec![n as u8 | 1; 512 << 20]; std::thread::sleep(std::time::Duration::from_secs(30)); kept.len() })).collect();
    all.into_iter().map(|one| one.join().map_or(0, |n| n as i64)).sum::<i64>() + a + b`,
    ),
    expect: STOPPED,
  },
  {
    kind: 21,
    name: 'fills every disk with files',
    task: 'sum',
    source: ({ outside }) =>
      sum(
        `let mut made = 0;
    for folder in [".", "/tmp", "/dev/shm", "/scratch", "${outside}"] {
        while made < 100_000 && std::fs::write(format!("{}/flood{}", folder, made), vec![1u8; 1 << 20]).is_ok() {
            made += 1;
        }
    }
    panic!("made {} for {}", made, a + b)`,
      )(),
    expect: { ...STOPPED, shows: /made 0/ },
  },
  {
    kind: 22,
    name: 'a flood of output',
    task: 'sum',
    source: sum(
      'loop {\n        println!("{}", "x".repeat(1 << 20));\n        eprintln!("{}{}", "x".repeat(1 << 20), a + b);\n    }',
    ),
    expect: STOPPED,
  },
  {
    kind: 22,
    name: 'a panic of a hundred megabytes',
    task: 'sum',
    source: sum('panic!("{}{}", "x".repeat(100 << 20), a + b)'),
    expect: STOPPED,
  },
  {
    kind: 22,
    name: 'a panic with lines of the harness in it',
    task: 'sum',
    source: sum('panic!("x\\n0 ok\\n1 ok\\n2 ok\\nend\\n{}", a + b)'),
    expect: WRONG,
  },
  {
    kind: 23,
    name: 'recursion without end',
    task: 'sum',
    source: sum(
      'let deep = [a; 100];\n    sum(a + 1, b) + deep[(a % 100) as usize]',
      '#[allow(unconditional_recursion)]',
    ),
    expect: STOPPED,
  },
  {
    kind: 23,
    name: 'a list too deep to drop',
    task: 'sum',
    source: sum(
      'let mut deep = None;\n    for at in 0..3_000_000 {\n        deep = Some(Box::new(Node(at, deep)));\n    }\n    drop(deep);\n    a - b - 1',
      '#[allow(dead_code)]\nstruct Node(i64, Option<Box<Node>>);',
    ),
    expect: STOPPED,
  },
  {
    kind: 26,
    name: 'fifty busy threads',
    task: 'sum',
    source: ({ mark }) =>
      sum(
        `for _ in 0..50 {
        let _ = std::thread::Builder::new().name("${mark}".into()).spawn(|| loop { std::hint::spin_loop() });
    }
    loop { std::hint::spin_loop() }
    #[allow(unreachable_code)]
    { a + b }`,
      )(),
    expect: ENDLESS,
  },
  {
    kind: 26,
    name: 'opens files until there are none left',
    task: 'sum',
    source: sum(
      'let kept: Vec<_> = (0..100_000).map(|_| std::fs::File::open("/dev/null").expect("a file")).collect();\n    kept.len() as i64 + a + b',
    ),
    expect: WRONG,
  },
  // ── The compiler ───────────────────────────────────────────────────────────────────────────────────
  {
    kind: 28,
    name: 'twenty thousand nested brackets',
    task: 'sum',
    source: bomb(`pub fn deep() { let _ = ${'['.repeat(20_000)}${']'.repeat(20_000)}; }`),
    expect: BOMB,
  },
  {
    kind: 28,
    name: 'nesting without a bracket',
    task: 'sum',
    source: bomb(
      `pub fn deep() -> bool { ${'!'.repeat(100_000)}true }\npub fn long() -> i64 { ${'1+'.repeat(50_000)}1 }`,
    ),
    expect: BOMB,
  },
  {
    kind: 28,
    name: 'a macro that doubles',
    task: 'sum',
    source: bomb(
      `macro_rules! twice { ($($t:tt)*) => { twice!($($t)* $($t)*); }; }\ntwice!(a b c d);`,
    ),
    expect: BOMB,
  },
  {
    kind: 28,
    name: 'macros that double each other',
    task: 'sum',
    source: bomb(
      `${Array.from({ length: 40 }, (_, at) => `macro_rules! m${at} { () => { ${at === 0 ? '1i64' : `m${at - 1}!() + m${at - 1}!()`} }; }`).join('\n')}
pub fn big() -> i64 { m39!() }`,
    ),
    expect: BOMB,
  },
  {
    kind: 28,
    name: 'a constant that never ends',
    task: 'sum',
    source: bomb(
      'const fn forever() -> usize { let mut at = 0; loop { at += 1; if at == usize::MAX { return at } } }\npub const LONG: usize = forever();\npub static SIZED: [u8; LONG & 1] = [0; LONG & 1];',
    ),
    expect: BOMB,
  },
  {
    kind: 28,
    name: 'a constant of gigabytes',
    task: 'sum',
    source: bomb(
      'pub static BIG: [u8; 1 << 34] = [1; 1 << 34];\npub fn big() -> u8 { BIG[BIG.len() / 2] }',
    ),
    expect: BOMB,
  },
  {
    kind: 28,
    name: 'types without end',
    task: 'sum',
    source: sum(
      'grow(a, 10) + b - 2 * a - 1',
      'fn grow<T: Clone>(one: T, left: u32) -> i64 {\n    if left == 0 { 0 } else { grow((one.clone(), one), left - 1) }\n}',
    ),
    expect: BOMB,
  },
  {
    kind: 28,
    name: 'traits that ask each other',
    task: 'sum',
    source: bomb(`pub trait Deep { type Next; }
impl<A, B> Deep for (A, B) where (B, (A, B)): Deep { type Next = <(B, (A, B)) as Deep>::Next; }
pub fn ask<T: Deep>() {}
pub fn start() { ask::<(u8, u16)>() }`),
    expect: BOMB,
  },
  {
    kind: 28,
    name: 'functions by the thousand',
    task: 'sum',
    source: bomb(
      Array.from(
        { length: 30_000 },
        (_, at) => `pub fn f${at}(a: i64) -> i64 { f${(at * 7) % 30_000}(a) }`,
      ).join('\n'),
    ),
    expect: BOMB,
  },
  // ── Silencing ──────────────────────────────────────────────────────────────────────────────────────
  {
    kind: 30,
    name: 'everything allowed',
    task: 'sum',
    source: () => `#![allow(warnings, clippy::all)]\n${HONEST}`,
    expect: silenced(1),
  },
  {
    kind: 30,
    name: 'allowed in several ways, with something to hide',
    task: 'sum',
    source: () => `#[allow(clippy::needless_return)]
#[cfg_attr(all(), allow(clippy::style))]
pub fn sum(a: i64, b: i64) -> i64 {
    #[allow(clippy::all)]
    return a + b;
}
`,
    expect: silenced(3),
  },
]
