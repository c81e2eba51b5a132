//! The two ways to a server are inside the host, behind the permit.
use vestibule_host::Host;
use vestibule_protocol::ServerId;

async fn around(host: Host, server: ServerId) {
    host.call_tool(server, "read", Default::default()).await;
}

fn main() {}
