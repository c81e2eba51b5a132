//! The tour: a small MCP server to learn and rehearse with.
//!
//! It shows every feature a host has to ask a user about: calls that read, destroy, fail, take long, ask for a form,
//! a page, a model or the shared folders, and a tool that changes after it was seen. It is written by hand over plain
//! JSON and shares no code with the client it is connected to, so that both cannot be wrong in the same way. It
//! touches no file, no network and no clock time of day; all its data are invented and forgotten when it ends.

mod calls;
mod lines;
mod peer;
mod picture;
mod prompts;
mod resources;
mod rpc;
mod server;
mod session;
mod tools;
mod weather;

use tokio::io::{AsyncRead, AsyncWrite};

/// Serves one client, one JSON-RPC message a line, until the reader ends.
///
/// Running calls are dropped when it returns.
///
/// # Errors
/// When reading or writing fails, and when the client asked for the rehearsed crash (the `fail` tool); the process
/// should then end with a status other than 0.
pub async fn serve<R, W>(reader: R, writer: W) -> std::io::Result<()>
where
    R: AsyncRead + Unpin + Send,
    W: AsyncWrite + Unpin + Send + 'static,
{
    server::run(reader, writer).await
}

/// Serves the client at the process's standard input and output.
///
/// When it returns, end the process with [`std::process::exit`]: a thread may still wait for input, and a runtime that
/// shuts down in an orderly way would wait for that thread.
///
/// # Errors
/// The same as [`serve`].
pub async fn serve_stdio() -> std::io::Result<()> {
    serve(tokio::io::stdin(), tokio::io::stdout()).await
}
