//! Measures the search over the definitions of tools: `make bench-search` ranks 5,040 tools for twenty requests and prints how
//! long the index takes and how long a request takes. The tools and the requests are those of `tests/stories/find_tools`.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "it prints what it measured"
)]

use std::time::{Duration, Instant};

use vestibule_chat_tools::{DirectoryTool, ToolDirectory, ToolRef};
use vestibule_protocol::ServerId;

const TOOLS: &str = include_str!("../../../../tests/stories/find_tools/tools.txt");
const REQUESTS: &str = include_str!("../../../../tests/stories/find_tools/requests.txt");
/// How often the 560 tools are listed, each time by other servers.
const COPIES: usize = 9;
/// How often each request is measured.
const TIMES: usize = 50;

fn main() {
    let directory = directory();
    let tools: usize = directory.servers().iter().map(|(_, count)| count).sum();
    let begun = Instant::now();
    directory.search("the first search builds the index", None);
    println!("{tools} tools, index built in {:.1?}", begun.elapsed());
    let mut times: Vec<Duration> = requests()
        .flat_map(|request| [request; TIMES])
        .map(|request| time(&directory, request))
        .collect();
    times.sort();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    println!(
        "a request ranked in {:.2?}, p99 {:.2?}, slowest {:.2?}",
        at(0.5),
        at(0.99),
        at(1.0)
    );
}

fn requests() -> impl Iterator<Item = &'static str> {
    let lines = REQUESTS.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| Some(line.split_once(" = ")?.0))
}

fn time(directory: &ToolDirectory, request: &str) -> Duration {
    let begun = Instant::now();
    let found = directory.search(request, None);
    let taken = begun.elapsed();
    assert!(!found.is_empty(), "{request}");
    taken
}

fn directory() -> ToolDirectory {
    let mut directory = ToolDirectory::default();
    for copy in 0..COPIES {
        let mut server = (ServerId::new(), String::new());
        for line in TOOLS.lines() {
            if let Some(name) = line.strip_prefix("## ") {
                server = (ServerId::new(), format!("{name} {copy}"));
            } else if !line.is_empty() && !line.starts_with('#') {
                directory.add(tool(&server, line));
            }
        }
    }
    directory
}

/// A tool as a line of the list defines it: `name(arguments): description`.
fn tool((server, server_name): &(ServerId, String), line: &str) -> DirectoryTool {
    let (head, description) = line.split_once("): ").unwrap();
    let (name, parameters) = head.split_once('(').unwrap();
    DirectoryTool {
        target: ToolRef {
            server: *server,
            tool: name.to_owned(),
        },
        server_name: server_name.clone(),
        name: format!("{server_name}__{name}"),
        description: description.to_owned(),
        title: String::new(),
        parameters: parameters.split(", ").map(str::to_owned).collect(),
    }
}
