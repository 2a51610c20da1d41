/** Hostile Rust programs that try to reach secrets, the network, other processes and files of the machine. */
import { NOTHING, WRONG, type Hostile, type World } from './program.ts'

/** Reports what the program got, by a panic. */
const reaching = (body: (world: World) => string) => (world: World) =>
  `
#[derive(Default)]
struct Loot(Vec<String>);

impl Loot {
    fn attempt<T: std::fmt::Debug, E>(&mut self, found: Result<T, E>) {
        if let Ok(value) = found {
            let text = format!("{:?}", value);
            self.0.push(text.chars().take(400).collect());
        }
    }
}

pub fn sum(_a: i64, _b: i64) -> i64 {
    let mut loot = Loot::default();
    ${body(world)}
    eprintln!("{:?}", loot.0);
    if loot.0.is_empty() {
        panic!("got nothing");
    }
    panic!("got {:?}", loot.0)
}
`

const strings = (list: readonly string[]): string =>
  `[${list.map((one) => JSON.stringify(one)).join(', ')}]`

export const rustReach: readonly Hostile[] = [
  {
    kind: 9,
    name: 'overwrites what it finds',
    task: 'sum',
    source: reaching(
      ({ suite, files, outside }) => `let own = std::env::args().next().unwrap_or_default();
    for path in ${strings([suite, ...files, `${outside}/overwritten`])}.into_iter().chain([own.as_str()]) {
        loot.attempt(std::fs::write(path, ""));
        loot.attempt(std::fs::remove_file(path));
        loot.attempt(std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o777)));
    }`,
    ),
    expect: NOTHING,
  },
  {
    kind: 11,
    name: 'keys in the environment',
    task: 'sum',
    source: reaching(
      ({ variable }) => `loot.attempt(std::env::var("${variable}"));
    for (name, value) in std::env::vars() {
        if name != "PWD" {
            loot.0.push(format!("{}={}", name, value));
        }
    }
    for who in ["self", "1", "2", "3"] {
        loot.attempt(std::fs::File::open(format!("/proc/{}/environ", who)));
    }`,
    ),
    expect: NOTHING,
  },
  {
    kind: 12,
    name: 'keys at home, passwords, the harness',
    task: 'sum',
    source: reaching(
      ({ files, suite, text, system }) => `for path in ${strings([...files, suite, text])} {
        loot.attempt(std::fs::read_to_string(path));
    }
    let system: &[&str] = &${strings(system)};
    for path in system {
        loot.attempt(std::fs::File::open(path).map(|_| path));
    }`,
    ),
    expect: NOTHING,
  },
  {
    kind: 13,
    name: 'connections to the machine and beyond',
    task: 'sum',
    source: reaching(
      ({
        tcp,
        udp,
        socket,
        beyond,
      }) => `use std::net::{TcpListener, TcpStream, ToSocketAddrs, UdpSocket};
    let soon = std::time::Duration::from_millis(200);
    for place in ["127.0.0.1:${tcp}", "[::ffff:127.0.0.1]:${tcp}"] {
        if let Ok(address) = place.parse() {
            loot.attempt(TcpStream::connect_timeout(&address, soon));
        }
    }
    let beyond: &[&str] = &${strings(beyond)};
    for place in beyond {
        for address in place.to_socket_addrs().into_iter().flatten() {
            loot.attempt(TcpStream::connect_timeout(&address, soon));
        }
    }
    loot.attempt(UdpSocket::bind("0.0.0.0:0").and_then(|one| one.send_to(b"hello", "127.0.0.1:${udp}")));
    loot.attempt(TcpListener::bind("0.0.0.0:0"));
    loot.attempt(std::os::unix::net::UnixStream::connect(${JSON.stringify(socket)}));`,
    ),
    expect: NOTHING,
  },
  {
    kind: 14,
    name: 'two hundred shells that fork',
    task: 'sum',
    source: reaching(
      ({ mark }) => `for _ in 0..200 {
        loot.attempt(std::process::Command::new("/bin/sh").args(["-c", ": ${mark}; b() { b | b & }; b; sleep 30"]).spawn());
    }`,
    ),
    expect: WRONG,
  },
  {
    kind: 16,
    name: 'a daemon that ignores signals',
    task: 'sum',
    source: reaching(
      ({ mark }) => `for program in ["/bin/sh", "/usr/bin/setsid", "/lib64/ld-linux-x86-64.so.2"] {
        loot.attempt(std::process::Command::new(program).args(["-c", "trap '' TERM HUP INT; while :; do sleep 1; done", "${mark}"]).spawn());
    }`,
    ),
    expect: WRONG,
  },
  {
    kind: 27,
    name: 'links, the first process, devices',
    task: 'sum',
    source: reaching(
      ({
        text,
        outside,
      }) => `for path in ["/proc/1/mem", "/proc/self/mem", "/proc/1/root/etc/hostname", "/dev/mem", "/dev/kvm", "/dev/vda"] {
        loot.attempt(std::fs::File::open(path));
    }
    loot.attempt(std::os::unix::fs::symlink(${JSON.stringify(text)}, "result.json"));
    loot.attempt(std::os::unix::fs::symlink("/etc/passwd", "${outside}/link"));
    loot.attempt(std::fs::hard_link(${JSON.stringify(text)}, "hard"));
    loot.attempt(std::fs::create_dir("${outside}/made"));
    loot.attempt(std::process::Command::new("unshare").args(["-Urm", "id"]).output());
    loot.attempt(std::os::unix::fs::chroot("/tmp"));`,
    ),
    expect: NOTHING,
  },
]
