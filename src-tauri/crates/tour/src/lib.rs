//! The tour: a small MCP server to learn and rehearse with (being written).

use tokio::io::{AsyncRead, AsyncWrite};

/// Serves one client until the reader ends.
///
/// # Errors
/// When reading or writing fails.
pub async fn serve<R, W>(reader: R, writer: W) -> std::io::Result<()>
where
    R: AsyncRead + Unpin + Send + 'static,
    W: AsyncWrite + Unpin + Send + 'static,
{
    drop((reader, writer));
    Ok(())
}

/// Serves the process's standard input and output.
///
/// # Errors
/// When reading or writing fails.
pub async fn serve_stdio() -> std::io::Result<()> {
    serve(tokio::io::stdin(), tokio::io::stdout()).await
}
