/** Right answers, and answers that use up a resource on purpose, for each language and for `run`. */
import type { Grading } from './grade-starved.ts'

type Language = 'typescript' | 'python' | 'rust'
type Exhausts = 'processes' | 'memory' | 'files' | 'disk'

/** Each answer has its own number, so that no result is reused for another answer. */
const RIGHT: Readonly<Record<Language, (n: number) => Pick<Grading, 'answer' | 'tests'>>> = {
  typescript: (n) => ({
    answer: `export const f = (): number => ${n}`,
    tests: `import test from 'node:test'\nimport assert from 'node:assert'\nimport { f } from './solution'\ntest('f', () => assert.equal(f(), ${n}))`,
  }),
  python: (n) => ({
    answer: `def f():\n    return ${n}\n`,
    tests: `from solution import f\n\ndef test_f():\n    assert f() == ${n}\n`,
  }),
  rust: (n) => ({
    answer: `pub fn f() -> i32 { ${n} }`,
    tests: `#[test] fn t() { assert_eq!(f(), ${n}); }`,
  }),
}

export const rightCode = (language: Language, count: number): Grading[] =>
  Array.from({ length: count }, (_, n) => ({
    name: `${language} ${n}`,
    type: 'code',
    options: {},
    language,
    ...RIGHT[language](n),
  }))

/** A command that starts other processes, as test runners do. */
export const rightRun = (count: number): Grading[] =>
  Array.from({ length: count }, (_, n) => ({
    name: `run ${n}`,
    type: 'run',
    options: {
      command: `for i in 1 2 3 4 5 6; do sh -c 'sleep 0.3; echo ${n}' & done; wait; sh check.sh`,
      answerFile: 'check.sh',
      stdoutContains: `done ${n}`,
    },
    answer: `echo done ${n}`,
  }))

const HOGS: Readonly<Record<Language, Readonly<Partial<Record<Exhausts, string>>>>> = {
  typescript: {
    processes:
      "import { Worker } from 'node:worker_threads'\nexport function f(): number { for (;;) new Worker('setInterval(() => {}, 1000)', { eval: true }); }",
    memory:
      'export function f(): number { const all: unknown[] = []; for (;;) all.push(new Uint8Array(2 ** 22).fill(1)); }',
    files:
      "import { openSync } from 'node:fs'\nexport function f(): number { for (;;) openSync('/dev/null', 'r'); }",
    disk: "import { appendFileSync } from 'node:fs'\nexport function f(): number { for (;;) appendFileSync('/tmp/hog', 'x'.repeat(2 ** 20)); }",
  },
  python: {
    processes:
      'import threading, time\n\ndef f():\n    while True:\n        threading.Thread(target=time.sleep, args=(60,)).start()\n',
    memory: 'def f():\n    held = []\n    while True:\n        held.append(bytearray(2 ** 22))\n',
    files: 'def f():\n    held = []\n    while True:\n        held.append(open("/dev/null"))\n',
    disk: 'def f():\n    with open("hog", "wb") as hog:\n        while True:\n            hog.write(b"x" * 2 ** 20)\n',
  },
  rust: {
    processes:
      'pub fn f() -> i32 { let mut all = vec![]; loop { all.push(std::thread::Builder::new().spawn(|| std::thread::sleep(std::time::Duration::from_secs(60))).unwrap()); } }',
    memory: 'pub fn f() -> i32 { let mut all = vec![]; loop { all.push(vec![1u8; 1 << 22]); } }',
    files:
      'pub fn f() -> i32 { let mut all = vec![]; loop { all.push(std::fs::File::open("/dev/null").unwrap()); } }',
    disk: 'pub fn f() -> i32 { use std::io::Write; let mut hog = std::fs::File::create("/tmp/hog").unwrap(); loop { hog.write_all(&[1u8; 1 << 16]).unwrap(); } }',
  },
}

const LANGUAGES: readonly Language[] = ['typescript', 'python', 'rust']

/** Solutions that use up a resource, in each language. */
export const codeHogs = (languages: readonly Language[] = LANGUAGES): Grading[] =>
  languages.flatMap((language) =>
    Object.entries(HOGS[language]).map(([what, answer]) => ({
      ...(rightCode(language, 1)[0] as Grading),
      name: `${language} ${what}`,
      options: { timeout: '2s', memoryMb: 128 },
      answer,
    })),
  )

const RUN_HOGS: Readonly<Record<Exhausts, string>> = {
  processes: 'bomb() { bomb | bomb & bomb; }; bomb; sleep 5; exit 1',
  memory:
    'node -e "const all = []; for (;;) all.push(Buffer.alloc(2 ** 22, 1))" & node -e "const all = []; for (;;) all.push(Buffer.alloc(2 ** 22, 1))" & wait; exit 1',
  files: "node -e \"for (;;) require('fs').openSync('/dev/null')\"",
  disk: 'while :; do dd if=/dev/zero of=hog$((n = n + 1)) bs=1048576 count=64 2>/dev/null || exit 1; done',
}

export const runHogs = (): Grading[] =>
  Object.entries(RUN_HOGS).map(([what, answer]) => ({
    name: `run ${what}`,
    type: 'run',
    options: { command: 'sh hog.sh', answerFile: 'hog.sh', timeout: '4s', memoryMb: 128 },
    answer,
  }))
