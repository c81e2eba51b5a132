//! The server every client is measured against, small and native so that the client's own cost dominates. It answers
//! in the order of arrival, copies ids, tokens and texts byte for byte, keeps no state between messages but the ids of
//! HTTP sessions, and never asks anything. It is no example of a server: it believes whoever speaks to it.
//!
//! `bench-server stdio|http [--tools N] [--ttl-ms N] [--era both|legacy|modern] [--sse yes] [--quiet-get yes]`

mod answer;
mod http;
mod stdio;
mod tools;

use std::process::ExitCode;

use answer::Server;

fn main() -> ExitCode {
    match run(std::env::args().skip(1)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(mut args: impl Iterator<Item = String>) -> Result<(), String> {
    let wire = args.next().unwrap_or_default();
    let (mut server, mut habits) = (Server::default(), http::Habits::default());
    let mut tools = 10;
    while let (Some(option), Some(value)) = (args.next(), args.next()) {
        let number = || {
            value
                .parse::<usize>()
                .map_err(|_| format!("{option} is no number"))
        };
        match option.as_str() {
            "--tools" => tools = number()?,
            "--ttl-ms" => server.ttl_ms = number()?,
            "--era" => {
                server.legacy = value != "modern";
                server.modern = value != "legacy";
            }
            "--sse" => habits.streams = value == "yes",
            "--quiet-get" => habits.quiet_get = value == "yes",
            _ => return Err(format!("there is no option {option}")),
        }
    }
    server.pages = tools::pages(tools);
    let outcome = match wire.as_str() {
        "stdio" => stdio::serve(&mut server),
        "http" => http::serve(&mut server, habits),
        _ => return Err("stdio or http?".into()),
    };
    outcome.map_err(|error| error.to_string())
}
