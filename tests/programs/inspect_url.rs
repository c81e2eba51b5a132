//! The URL inspector on the command line: one JSON object a line in, one out, so that rows nobody here has seen can be
//! held against it. `inspect-speed` reads the same lines and says how long one inspection takes.

use std::io::{self, BufRead, Write};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use vestibule_policy::inspect::{KnownDomains, UrlContext, UrlInspection, UrlSource, inspect};

/// How often each URL is inspected for the figures.
const ROUNDS: usize = 200;

/// A line that could be understood.
struct Question {
    url: String,
    place: UrlSource,
    known: KnownDomains,
}

impl Question {
    fn read(line: &str) -> Result<Self, String> {
        let value: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
        let url = value["url"].as_str().ok_or("`url` is a string")?.to_owned();
        let place = match &value["context"] {
            Value::Null => UrlSource::RemoteServer,
            named => serde_json::from_value(named.clone()).map_err(|error| error.to_string())?,
        };
        let known = match &value["known_domains"] {
            Value::Null => vec![],
            listed => {
                serde_json::from_value::<Vec<String>>(listed.clone()).map_err(|error| error.to_string())?
            }
        };
        Ok(Self {
            url,
            place,
            known: KnownDomains::new(known),
        })
    }

    fn answer(&self) -> UrlInspection {
        inspect(&self.url, &UrlContext::new(self.place, &self.known))
    }
}

/// Answers every line; one that cannot be understood gets an error, and the next goes on.
pub(crate) fn answer_lines() -> io::Result<()> {
    let mut out = io::stdout().lock();
    for line in lines() {
        let answer = match Question::read(&line?) {
            Ok(question) => answer(&question.answer()),
            Err(error) => json!({ "error": error }),
        };
        writeln!(out, "{answer}")?;
        out.flush()?;
    }
    Ok(())
}

/// Inspects every URL many times over and writes the figures, in microseconds.
pub(crate) fn measure() -> io::Result<()> {
    let mut questions = vec![];
    for line in lines() {
        questions.extend(Question::read(&line?));
    }
    let mut times: Vec<Duration> = vec![];
    for _ in 0..ROUNDS {
        for question in &questions {
            let start = Instant::now();
            std::hint::black_box(question.answer());
            times.push(start.elapsed());
        }
    }
    times.sort_unstable();
    let at = |share: f64| {
        let index = (times.len() as f64 * share) as usize;
        times.get(index).map(|time| time.as_nanos() as f64 / 1000.0)
    };
    let figures = json!({
        "inspections": times.len(), "p50_us": at(0.5), "p99_us": at(0.99), "p999_us": at(0.999),
    });
    writeln!(io::stdout(), "{figures}")
}

/// Lines as bytes first: one that is no UTF-8 is a bad line, not the end of all.
fn lines() -> impl Iterator<Item = io::Result<String>> {
    let lines = io::stdin().lock().split(b'\n');
    lines
        .map(|line| line.map(|line| String::from_utf8_lossy(&line).into_owned()))
        .filter(|line| !line.as_ref().is_ok_and(|line| line.trim().is_empty()))
}

fn answer(seen: &UrlInspection) -> Value {
    json!({
        "canonical": seen.canonical,
        "ascii_host": seen.ascii_host,
        "display_host": seen.display_host,
        "registrable_domain": seen.registrable_domain,
        "registrable_display": seen.registrable_display,
        "warnings": seen.warnings,
        "verdict": seen.verdict,
    })
}
