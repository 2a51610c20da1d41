//! The harness that runs hidden Rust tests. The solution, with the tests as a module in it, is linked with this
//! library into one program. The library reads the nonce before any code of the solution or the tests runs. It runs
//! the tests one after the other, each on its own thread, and writes one line for each to descriptor 3. Safe code can
//! neither find the nonce nor access that descriptor.
//!
//! The assertions here work like the standard ones, with one exception: they reject a comparison between a type of
//! the solution and another type, because the solution controls the result of such an `==`.

use std::any::type_name;
use std::cell::Cell;
use std::fmt::{Arguments, Debug, Write as _};
use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::io::FromRawFd;
use std::panic::{catch_unwind, set_hook, take_hook};
use std::process::ExitCode;

pub extern crate std;

const REPORT: i32 = 3;
const NONCE_BYTES: usize = 32;
const STACK_BYTES: usize = 8 << 20;
const MOST_MESSAGE: usize = 2000;

// ── Running ──────────────────────────────────────────────────────────────────────────────────────────

struct Test {
    index: usize,
    /// If set, the test must panic with a message that contains this text.
    panics: Option<&'static str>,
    run: fn() -> Option<String>,
}

#[derive(Default)]
pub struct Table {
    tests: Vec<Test>,
}

impl Table {
    pub fn add(&mut self, index: usize, panics: Option<&'static str>, run: fn() -> Option<String>) {
        self.tests.push(Test { index, panics, run });
    }
}

/// The types that a test may return.
pub trait Outcome {
    fn fault(self) -> Option<String>;
}

impl Outcome for () {
    fn fault(self) -> Option<String> {
        None
    }
}

impl Outcome for ExitCode {
    fn fault(self) -> Option<String> {
        let said = format!("{:?}", self);
        (said != format!("{:?}", ExitCode::SUCCESS)).then(|| format!("the test returned {}", said))
    }
}

impl<T: Outcome, E: Debug> Outcome for Result<T, E> {
    fn fault(self) -> Option<String> {
        match self {
            Ok(value) => value.fault(),
            Err(error) => Some(format!("the test returned an error: {:?}", error)),
        }
    }
}

thread_local! {
    /// The line of the last panic on this thread.
    static LINE: Cell<u32> = Cell::new(0);
}

pub fn run(register: fn(&mut Table)) -> i32 {
    // Nothing else owns this descriptor, and it is open until the process ends.
    let mut report = unsafe { File::from_raw_fd(REPORT) };
    let mut nonce = [0u8; NONCE_BYTES];
    if report.read_exact(&mut nonce).is_err() {
        return 70;
    }
    let nonce = String::from_utf8_lossy(&nonce).into_owned();
    let mut say = |line: Arguments| report.write_all(format!("{} {}\n", nonce, line).as_bytes()).is_ok();
    if !say(format_args!("ready")) {
        return 70;
    }
    let mut table = Table::default();
    register(&mut table);
    table.tests.sort_by_key(|test| test.index);
    for test in table.tests {
        let heard = match outcome(&test) {
            None => say(format_args!("{} ok", test.index)),
            Some((line, message)) => say(format_args!("{} failed {} {}", test.index, line, one_line(&message))),
        };
        if !heard {
            return 70;
        }
    }
    say(format_args!("end"));
    // Exit immediately, without waiting for threads or exit handlers of the solution.
    std::process::exit(0)
}

/// Returns the line (0 if unknown) and the reason if the test failed, else None.
fn outcome(test: &Test) -> Option<(u32, String)> {
    drop(take_hook());
    set_hook(Box::new(|info| {
        let line = info.location().filter(|place| place.file() == "<anon>").map_or(0, |place| place.line());
        let _ = LINE.try_with(|last| last.set(line));
    }));
    let run = test.run;
    let thread = std::thread::Builder::new().name("test".to_owned()).stack_size(STACK_BYTES);
    let started = thread.spawn(move || {
        catch_unwind(run).map_err(|payload| {
            let plain = match (payload.downcast_ref::<&str>(), payload.downcast_ref::<String>()) {
                (Some(text), _) => Some((*text).to_owned()),
                (_, Some(text)) => Some(text.clone()),
                _ => None,
            };
            // The payload belongs to the solution, so dropping it could run the solution's code.
            std::mem::forget(payload);
            (LINE.try_with(|last| last.get()).unwrap_or(0), plain)
        })
    });
    let ended = match started {
        Ok(handle) => handle.join(),
        Err(error) => return Some((0, format!("no thread could be started for the test: {}", error))),
    };
    let result = match ended {
        Ok(result) => result,
        Err(payload) => {
            std::mem::forget(payload);
            Err((0, None))
        }
    };
    match (result, test.panics) {
        (Ok(None), None) => None,
        (Ok(Some(fault)), None) => Some((0, fault)),
        (Ok(_), Some(_)) => Some((0, "the test did not panic as it should".to_owned())),
        (Err((line, plain)), None) => Some((line, plain.unwrap_or_else(|| "a panic without a message".to_owned()))),
        (Err(_), Some("")) => None,
        (Err((line, plain)), Some(expected)) => match plain {
            Some(text) if text.contains(expected) => None,
            Some(text) => Some((line, format!("panicked with {:?}, which does not contain {:?}", text, expected))),
            None => Some((line, format!("panicked without a text, not with {:?}", expected))),
        },
    }
}

fn one_line(message: &str) -> String {
    let mut line = String::new();
    for letter in message.chars().take(MOST_MESSAGE) {
        match letter {
            '\\' => line.push_str("\\\\"),
            '\n' => line.push_str("\\n"),
            '\r' => line.push_str("\\r"),
            other => line.push(other),
        }
    }
    line
}

// ── Assertions ───────────────────────────────────────────────────────────────────────────────────────

/// Panics if a type of the solution is compared with a type of another crate. `place` begins with the name of the
/// solution's crate. If both types are the solution's, the comparison is allowed.
#[track_caller]
pub fn alike<L: ?Sized, R: ?Sized>(_: &L, _: &R, place: &str) {
    let own = place.split("::").next().unwrap_or("");
    let left = own_types(type_name::<L>(), own);
    if left != own_types(type_name::<R>(), own) {
        panic!(
            "the sample's own type is compared with another: {} with {}",
            shown(type_name::<L>(), own),
            shown(type_name::<R>(), own)
        );
    }
}

fn own_types<'a>(name: &'a str, own: &str) -> Vec<&'a str> {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == ':';
    let mut found: Vec<&str> = name
        .split(|letter| !is_part(letter))
        .filter(|path| path.strip_prefix(own).map_or(false, |rest| rest.starts_with("::")))
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

fn shown(name: &str, own: &str) -> String {
    name.replace(&format!("{}::", own), "")
}

#[cold]
#[track_caller]
pub fn refuted<L: Debug + ?Sized, R: Debug + ?Sized>(
    sign: &str,
    left: &L,
    right: &R,
    message: Option<Arguments>,
) -> ! {
    refute(sign, &left, &right, message)
}

#[track_caller]
fn refute(sign: &str, left: &dyn Debug, right: &dyn Debug, message: Option<Arguments>) -> ! {
    let mut text = format!("assertion `left {} right` failed", sign);
    if let Some(message) = message {
        let _ = write!(text, ": {}", message);
    }
    panic!("{}\n  left: {:?}\n right: {:?}", text, left, right)
}

#[cold]
#[track_caller]
pub fn untrue(condition: &str) -> ! {
    panic!("assertion failed: {}", condition)
}

/// Accepts only a plain `bool`, so that a type of the solution cannot define its own `!`.
pub fn holds(value: bool) -> bool {
    value
}

#[macro_export]
macro_rules! compared {
    ($left:expr, $sign:tt, $right:expr) => {
        match (&$left, &$right) {
            (left, right) => {
                $crate::alike(left, right, $crate::std::module_path!());
                *left $sign *right
            }
        }
    };
}

#[macro_export]
macro_rules! checked {
    // The text is the condition as its author wrote it.
    (@ $text:literal $condition:expr $(,)?) => {
        if !$crate::holds($condition) {
            $crate::untrue($text)
        }
    };
    (@ $text:literal $condition:expr, $format:literal $($rest:tt)*) => {
        if !$crate::holds($condition) {
            $crate::std::panic!("{} ({})", $crate::std::format_args!($format $($rest)*), $text)
        }
    };
    (@ $text:literal $condition:expr, $($message:tt)+) => {
        if !$crate::holds($condition) {
            $crate::std::panic!($($message)+)
        }
    };
    ($condition:expr $(,)?) => {
        if !$crate::holds($condition) {
            $crate::untrue($crate::std::stringify!($condition))
        }
    };
    ($condition:expr, $format:literal $($rest:tt)*) => {
        if !$crate::holds($condition) {
            $crate::std::panic!(
                "{} ({})",
                $crate::std::format_args!($format $($rest)*),
                $crate::std::stringify!($condition)
            )
        }
    };
    ($condition:expr, $($message:tt)+) => {
        if !$crate::holds($condition) {
            $crate::std::panic!($($message)+)
        }
    };
}

#[macro_export]
macro_rules! equal {
    (@ $left:expr, $right:expr, $message:expr) => {
        match (&$left, &$right) {
            (left, right) => {
                $crate::alike(left, right, $crate::std::module_path!());
                if !$crate::holds(*left == *right) {
                    $crate::refuted("==", &*left, &*right, $message)
                }
            }
        }
    };
    ($left:expr, $right:expr $(,)?) => { $crate::equal!(@ $left, $right, $crate::std::option::Option::None) };
    ($left:expr, $right:expr, $($message:tt)+) => {
        $crate::equal!(@ $left, $right, $crate::std::option::Option::Some($crate::std::format_args!($($message)+)))
    };
}

#[macro_export]
macro_rules! unequal {
    (@ $left:expr, $right:expr, $message:expr) => {
        match (&$left, &$right) {
            (left, right) => {
                $crate::alike(left, right, $crate::std::module_path!());
                if $crate::holds(*left == *right) {
                    $crate::refuted("!=", &*left, &*right, $message)
                }
            }
        }
    };
    ($left:expr, $right:expr $(,)?) => { $crate::unequal!(@ $left, $right, $crate::std::option::Option::None) };
    ($left:expr, $right:expr, $($message:tt)+) => {
        $crate::unequal!(@ $left, $right, $crate::std::option::Option::Some($crate::std::format_args!($($message)+)))
    };
}
