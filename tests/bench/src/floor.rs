//! The floor: frames written beforehand, blocking reads and writes, and no look at an answer but for its end. No client
//! that reads what it gets can reach it; it shows how much of a figure is transport. It does what is needed for that
//! and says `unsupported` to the rest.

use std::error::Error;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

use contract::{GREETING, Order, Run, Scenario, Watch};
use serde_json::json;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    let order = Order::read(std::env::args().skip(1))?;
    match run(&order)? {
        Some(run) => println!("{}", run.line(&order, "floor", env!("CARGO_PKG_VERSION"))),
        None => println!(
            "{}",
            json!({ "unsupported": "the floor does only seq, pipe over stdio, and blob" })
        ),
    }
    Ok(())
}

fn run(order: &Order) -> Result<Option<Run>> {
    let call = match order.scenario {
        Scenario::Seq | Scenario::Pipe => call("echo", &json!({ "text": GREETING }), order.modern),
        Scenario::Blob => call("blob", &json!({ "bytes": order.bytes }), order.modern),
        _ => return Ok(None),
    };
    let began = Instant::now();
    let mut wire: Box<dyn Wire> = match (&order.server, &order.url) {
        (Some(words), _) => Box::new(Pipe::open(words)?),
        (None, Some(url)) => Box::new(Http::open(
            url,
            order.modern,
            if order.scenario == Scenario::Blob {
                "blob"
            } else {
                "echo"
            },
        )?),
        (None, None) => return Err("no server".into()),
    };
    if !order.modern {
        let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "floor", "version": "1" } });
        wire.open(
            json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params }).to_string(),
        )?;
    }
    let connect = began.elapsed();
    let frame = wire.frame(&call);
    for _ in 0..order.warmup {
        wire.exchange(&frame)?;
    }
    let watch = Watch::start();
    let mut samples = Vec::with_capacity(order.count);
    if order.scenario == Scenario::Pipe {
        if order.url.is_some() {
            return Ok(None);
        }
        wire.side_by_side(&frame, order.count, order.inflight)?;
        let cost = watch.read();
        samples.resize(order.count, cost.wall / u32::try_from(order.count.max(1))?);
        return Ok(Some(Run {
            connect: Some(connect),
            ..Run::new(cost, samples)
        }));
    }
    for _ in 0..order.count {
        let asked = Instant::now();
        wire.exchange(&frame)?;
        samples.push(asked.elapsed());
    }
    Ok(Some(Run {
        connect: Some(connect),
        ..Run::new(watch.read(), samples)
    }))
}

fn call(tool: &str, arguments: &serde_json::Value, modern: bool) -> String {
    let mut params = json!({ "name": tool, "arguments": arguments });
    if modern {
        params["_meta"] = json!({ "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {}, "io.modelcontextprotocol/clientInfo": { "name": "floor", "version": "1" } });
    }
    json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }).to_string()
}

trait Wire {
    fn open(&mut self, initialize: String) -> Result<()>;
    fn frame(&self, message: &str) -> Vec<u8>;
    fn exchange(&mut self, frame: &[u8]) -> Result<()>;
    fn side_by_side(&mut self, frame: &[u8], count: usize, inflight: usize) -> Result<()>;
}

struct Pipe {
    child: Child,
    input: Option<ChildStdin>,
    output: ChildStdout,
    chunk: Vec<u8>,
}

impl Pipe {
    fn open(words: &[String]) -> Result<Self> {
        let (program, args) = words.split_first().ok_or("no program")?;
        let mut child = Command::new(program)
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let (input, output) = (child.stdin.take(), child.stdout.take().ok_or("no pipe")?);
        Ok(Self {
            child,
            input,
            output,
            chunk: vec![0; 256 * 1024],
        })
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        Ok(self.input.as_mut().ok_or("closed")?.write_all(bytes)?)
    }

    /// How many lines ended in what could be read.
    fn lines(&mut self) -> Result<usize> {
        match self.output.read(&mut self.chunk)? {
            0 => Err("the server ended".into()),
            count => Ok(memchr::memchr_iter(b'\n', &self.chunk[..count]).count()),
        }
    }
}

impl Wire for Pipe {
    fn open(&mut self, initialize: String) -> Result<()> {
        let frame = self.frame(&initialize);
        self.exchange(&frame)?;
        self.write(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n")
    }

    fn frame(&self, message: &str) -> Vec<u8> {
        format!("{message}\n").into_bytes()
    }

    fn exchange(&mut self, frame: &[u8]) -> Result<()> {
        self.write(frame)?;
        while self.lines()? == 0 {}
        Ok(())
    }

    fn side_by_side(&mut self, frame: &[u8], count: usize, inflight: usize) -> Result<()> {
        let mut sent = inflight.min(count);
        self.write(&frame.repeat(sent))?;
        let mut answered = 0;
        while answered < count {
            let lines = self.lines()?;
            answered += lines;
            let more = lines.min(count - sent);
            if more > 0 {
                self.write(&frame.repeat(more))?;
                sent += more;
            }
        }
        Ok(())
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        self.input = None;
        // The server ends with its input.
        let _ = self.child.wait();
    }
}

struct Http {
    stream: TcpStream,
    head: String,
    chunk: Vec<u8>,
}

impl Http {
    fn open(url: &str, modern: bool, tool: &str) -> Result<Self> {
        let authority = url
            .strip_prefix("http://")
            .and_then(|rest| rest.split('/').next())
            .ok_or("no address")?;
        let stream = TcpStream::connect(authority)?;
        stream.set_nodelay(true)?;
        let mut head = format!(
            "POST /mcp HTTP/1.1\r\nHost: {authority}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
        );
        if modern {
            head += &format!(
                "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: {tool}\r\n"
            );
        }
        Ok(Self {
            stream,
            head,
            chunk: vec![0; 256 * 1024],
        })
    }

    /// Reads one answer and gives back its head.
    fn answer(&mut self) -> Result<String> {
        let mut held = 0;
        let end = loop {
            match self.stream.read(&mut self.chunk[held..])? {
                0 => return Err("the server ended".into()),
                count => held += count,
            }
            if let Some(end) = memchr::memmem::find(&self.chunk[..held], b"\r\n\r\n") {
                break end + 4;
            }
        };
        let head = String::from_utf8_lossy(&self.chunk[..end]).into_owned();
        let length = head
            .split("\r\n")
            .find_map(|line| line.strip_prefix("Content-Length: ")?.parse::<usize>().ok());
        match length {
            Some(length) => {
                let mut missing = length.saturating_sub(held - end);
                while missing > 0 {
                    let most = missing.min(self.chunk.len());
                    match self.stream.read(&mut self.chunk[..most])? {
                        0 => return Err("the server ended".into()),
                        count => missing -= count,
                    }
                }
            }
            None => {
                while !self.chunk[..held].ends_with(b"0\r\n\r\n") {
                    held = self.stream.read(&mut self.chunk)?;
                }
            }
        }
        Ok(head)
    }
}

impl Wire for Http {
    fn open(&mut self, initialize: String) -> Result<()> {
        let frame = self.frame(&initialize);
        self.stream.write_all(&frame)?;
        let head = self.answer()?;
        let session = head
            .split("\r\n")
            .find(|line| line.starts_with("Mcp-Session-Id"))
            .ok_or("no session")?;
        self.head += &format!("{session}\r\nMCP-Protocol-Version: 2025-11-25\r\n");
        Ok(())
    }

    fn frame(&self, message: &str) -> Vec<u8> {
        format!("{}Content-Length: {}\r\n\r\n{message}", self.head, message.len()).into_bytes()
    }

    fn exchange(&mut self, frame: &[u8]) -> Result<()> {
        self.stream.write_all(frame)?;
        self.answer().map(drop)
    }

    fn side_by_side(&mut self, _: &[u8], _: usize, _: usize) -> Result<()> {
        Err("not over HTTP".into())
    }
}
