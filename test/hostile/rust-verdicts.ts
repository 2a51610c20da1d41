/** Hostile Rust programs that try to get a verdict that they did not earn, or to read their tests. */
import { EITHER, FORGED, GONE, NOTHING, REFUSED, STOPPED, WRONG, type Hostile } from './program.ts'

export const rustSum =
  (body: string, before = '') =>
  (): string =>
    `${before}
pub fn sum(a: i64, b: i64) -> i64 {
    ${body}
}
`

const LINES = `for line in [
        "test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s",
        "{ \\"type\\": \\"suite\\", \\"event\\": \\"ok\\", \\"passed\\": 3, \\"failed\\": 0 }",
        "{ \\"type\\": \\"test\\", \\"name\\": \\"tests::adds_small_numbers\\", \\"event\\": \\"ok\\" }",
        "0 ok", "1 ok", "2 ok", "end",
        "00000000000000000000000000000000 0 ok",
    ] {
        println!("{}", line);
        eprintln!("{}", line);
        for path in (0..16).map(|fd| format!("/proc/self/fd/{}", fd)).chain((0..16).map(|fd| format!("/dev/fd/{}", fd))) {
            if let Ok(mut file) = std::fs::OpenOptions::new().write(true).open(path) {
                let _ = std::io::Write::write_all(&mut file, format!("{}\\n", line).as_bytes());
            }
        }
    }`

export const rustVerdicts: readonly Hostile[] = [
  {
    kind: 3,
    name: 'exit at a call',
    task: 'sum',
    source: rustSum('std::process::exit((a * b * 0) as i32)'),
    expect: GONE,
  },
  {
    kind: 3,
    name: 'exit at the second call',
    task: 'sum',
    source: rustSum(
      'if CALLS.fetch_add(1, Ordering::SeqCst) == 1 { std::process::exit(0) }\n    a + b',
      'use std::sync::atomic::{AtomicU32, Ordering};\nstatic CALLS: AtomicU32 = AtomicU32::new(0);',
    ),
    expect: GONE,
  },
  {
    kind: 3,
    name: 'abort',
    task: 'sum',
    source: rustSum('let _ = (a, b);\n    std::process::abort()'),
    expect: GONE,
  },
  {
    kind: 3,
    name: 'exit from the hook of panics',
    task: 'sum',
    source: rustSum(
      'std::panic::set_hook(Box::new(|_| std::process::exit(0)));\n    panic!("{}", a + b)',
    ),
    expect: GONE,
  },
  {
    kind: 3,
    name: 'exit when what was thrown is dropped',
    task: 'sum',
    source: rustSum(
      'let _ = a + b;\n    std::panic::panic_any(Bomb)',
      'struct Bomb;\nimpl Drop for Bomb {\n    fn drop(&mut self) {\n        std::process::exit(0)\n    }\n}',
    ),
    expect: FORGED,
  },
  {
    kind: 3,
    name: 'becomes another program',
    task: 'sum',
    source: rustSum(
      `let _ = a + b;
    let own = std::env::args().next().unwrap_or_default();
    for program in ["/bin/true", "/usr/bin/true", "/lib64/ld-linux-x86-64.so.2", own.as_str()] {
        let _ = std::process::Command::new(program).arg("--help").exec();
    }
    0`,
      'use std::os::unix::process::CommandExt;',
    ),
    expect: STOPPED,
  },
  {
    kind: 4,
    name: 'forged results on every stream',
    task: 'sum',
    source: rustSum(`let _ = (a, b);\n    ${LINES}\n    0`),
    expect: WRONG,
  },
  {
    kind: 5,
    name: 'a fake summary, then exit',
    task: 'sum',
    source: rustSum(`let _ = (a, b);\n    ${LINES}\n    std::process::exit(0)`),
    expect: GONE,
  },
  {
    kind: 5,
    name: 'a constructor before main',
    task: 'sum',
    source: rustSum(
      'a - b - 1',
      `#[link_section = ".init_array"]
#[used]
static EARLY: extern "C" fn() = early;
extern "C" fn early() {
    println!("test result: ok. 3 passed; 0 failed");
    std::process::exit(0)
}`,
    ),
    expect: REFUSED,
  },
  {
    kind: 5,
    name: 'a main of its own',
    task: 'sum',
    source: rustSum(
      'a - b - 1',
      `#[no_mangle]
pub extern "C" fn main() -> i32 {
    println!("test result: ok. 3 passed; 0 failed");
    0
}`,
    ),
    expect: REFUSED,
  },
  {
    kind: 5,
    name: 'unsafe code that writes to every descriptor',
    task: 'sum',
    source: rustSum(
      `for fd in 1..16 {
        let mut file = unsafe { std::fs::File::from_raw_fd(fd) };
        let _ = file.write_all(b"0 ok\\n1 ok\\n2 ok\\nend\\n");
        std::mem::forget(file);
    }
    a - b - 1`,
      'use std::io::Write;\nuse std::os::unix::io::FromRawFd;',
    ),
    expect: { ...REFUSED, reason: /does not compile: .*unsafe/i },
  },
  {
    kind: 5,
    name: 'unsafe code behind a macro and an attribute',
    task: 'sum',
    source: rustSum(
      'hidden!(a, b)',
      `#![allow(unsafe_code)]
macro_rules! hidden {
    ($a:expr, $b:expr) => {{
        #[allow(unsafe_code)]
        let stolen = unsafe { *(0x1000 as *const i64) };
        $a + $b + stolen
    }};
}`,
    ),
    expect: { ...REFUSED, reason: /does not compile: .*unsafe/i },
  },
  {
    kind: 6,
    name: 'assertions of its own',
    task: 'sum',
    source: rustSum(
      '0 * a * b',
      ['assert', 'assert_eq', 'assert_ne', 'panic', 'debug_assert', 'matches']
        .map((name) => `#[allow(unused_macros)]\nmacro_rules! ${name} { ($($t:tt)*) => { () }; }`)
        .join('\n'),
    ),
    expect: WRONG,
  },
  {
    kind: 6,
    name: 'assertions of its own, exported and re-exported',
    task: 'sum',
    source: rustSum(
      '0 * a * b',
      `#[macro_export]
macro_rules! quiet { ($($t:tt)*) => { () }; }
pub use quiet as assert;
pub use quiet as assert_eq;
pub mod std {
    pub use crate::quiet as assert_eq;
    pub mod option { pub enum Option { Some, None } }
}
pub mod core { pub use crate::quiet as panic; }`,
    ),
    expect: EITHER,
  },
  {
    kind: 6,
    name: 'tests, and a module of tests, of its own',
    task: 'sum',
    source: rustSum(
      'a - b - 1',
      `#[cfg(test)]
mod tests {
    #[test]
    fn adds_small_numbers() {}
    #[test]
    fn adds_negative_numbers() {}
    #[test]
    fn adds_nothing() {}
}
#[test]
fn adds_small_numbers() {}`,
    ),
    expect: WRONG,
  },
  {
    kind: 7,
    name: 'a type that equals every number',
    task: 'sum',
    source: () => `#[derive(Debug, Clone, Copy)]
pub struct Liar;
impl PartialEq<i64> for Liar {
    fn eq(&self, _: &i64) -> bool {
        true
    }
}
impl PartialEq<Liar> for i64 {
    fn eq(&self, _: &Liar) -> bool {
        true
    }
}
pub fn sum(_a: i64, _b: i64) -> Liar {
    Liar
}
`,
    expect: WRONG,
  },
  {
    kind: 7,
    name: 'a type and traits that lie wherever they are asked',
    task: 'matched',
    source: () => `#[derive(Debug, Clone, Copy)]
pub struct Liar;
impl PartialEq<i64> for Liar {
    fn eq(&self, _: &i64) -> bool {
        true
    }
    fn ne(&self, _: &i64) -> bool {
        false
    }
}
impl std::fmt::Display for Liar {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str("0123456789")
    }
}
pub trait Lying {
    fn contains(&self, _: &str) -> bool {
        true
    }
}
impl Lying for String {}
pub fn sum(_a: i64, _b: i64) -> Liar {
    Liar
}
`,
    expect: FORGED,
  },
  {
    kind: 7,
    name: 'plain types with lying methods',
    task: 'key',
    source: () => `pub trait Lying {
    fn eq<T>(&self, _: T) -> bool {
        true
    }
    fn as_str(&self) -> &str {
        "KEY"
    }
}
impl<T> Lying for T {}
pub fn key(_times: u32) -> String {
    String::new()
}
`,
    expect: WRONG,
  },
  {
    kind: 9,
    name: 'reads the tests, and its own program',
    task: 'key',
    source: ({ suite }) => `use std::fs;
use std::path::{Path, PathBuf};

fn look(path: &Path) -> Option<String> {
    let bytes = fs::read(path).ok()?;
    let at = bytes.windows(4).position(|part| part == b"KEY-")?;
    Some(String::from_utf8_lossy(bytes.get(at..at + 28)?).into_owned())
}

fn walk(folder: &Path, depth: u32) -> Option<String> {
    for entry in fs::read_dir(folder).ok()?.flatten() {
        let path = entry.path();
        let skip = ["/usr", "/lib", "/lib64", "/proc", "/sys", "/dev"];
        if skip.iter().any(|one| Path::new(one) == path) {
            continue;
        }
        let found = if path.is_dir() && depth < 12 { walk(&path, depth + 1) } else { look(&path) };
        if found.is_some() {
            return found;
        }
    }
    None
}

pub fn key(_times: u32) -> String {
    let mut places: Vec<PathBuf> = vec![PathBuf::from(${JSON.stringify(suite)}), PathBuf::from(file!())];
    places.extend(std::env::current_exe());
    places.extend(std::env::args().map(PathBuf::from));
    places
        .iter()
        .find_map(|path| look(path))
        .or_else(|| walk(Path::new("/"), 0))
        .unwrap_or_else(|| panic!("got nothing"))
}
`,
    expect: NOTHING,
  },
  {
    kind: 10,
    name: 'looks for the expected value in what is left of memory',
    task: 'key',
    source: () => `pub fn key(_times: u32) -> String {
    let trace = std::backtrace::Backtrace::force_capture().to_string();
    let mut kept = Vec::new();
    for size in 4..20 {
        let fresh: Vec<u8> = Vec::with_capacity(1 << size);
        kept.push(fresh);
    }
    let all = format!("{}{:?}{:?}", trace, kept, std::env::args().collect::<Vec<_>>());
    match all.find("KEY-") {
        Some(at) => all[at..at + 28].to_string(),
        None => panic!("got nothing"),
    }
}
`,
    // The standard library has backtraces since version 1.65.
    expect: EITHER,
  },
]
