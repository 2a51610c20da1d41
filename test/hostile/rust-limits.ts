/**
 * Hostile Rust programs that exceed their limits of time, memory, output and threads, or block the compiler.
 */
import { rustSum as sum } from './rust-verdicts.ts'
import { ENDLESS, GREEDY, STOPPED, WRONG, type Hostile } from './program.ts'

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
]
