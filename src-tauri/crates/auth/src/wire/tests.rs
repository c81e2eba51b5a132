//! Which addresses may be used, and by whom they may be named.

use super::*;

fn refused(server: &str, address: &str) -> bool {
    let wire = AuthHttp::new(server.parse().unwrap(), AuthLimits::default());
    wire.address(Step::Server, "it", address).is_err()
}

/// AU-051, AU-053, AU-054. Attacks O1, O2, O7.
#[test]
fn a_server_on_the_internet_names_nothing_near_and_nothing_odd() {
    let server = "https://mcp.example.com/mcp";
    for address in [
        "https://127.0.0.1/",
        "https://127.1/",
        "https://2130706433/",
        "https://0x7f000001/",
        "https://0177.0.0.1/",
        "https://[::1]/",
        "https://[::ffff:127.0.0.1]/",
        "https://[64:ff9b::7f00:1]/",
        "https://localhost/",
        "https://a.localhost/",
        "https://localhost./",
        "https://10.0.0.1/",
        "https://172.16.0.1/",
        "https://192.168.1.1/",
        "https://100.64.0.1/",
        "https://169.254.169.254/",
        "https://[fe80::1]/",
        "https://[fd00::1]/",
        "https://0.0.0.0/",
        "https://[::]/",
        "https://224.0.0.1/",
        "https://255.255.255.255/",
        "https://192.0.2.1/",
        "https://[2002:7f00:1::]/",
        "http://mcp.example.com/",
        "http://127.0.0.1/",
        "http://localhost/",
        "https:///",
        "https://",
        "//a.example/",
        "javascript:alert(1)",
        "data:,x",
        "file:///x",
        "ms-msdt:/id",
        "vbscript:x",
        "blob:https://a.example/x",
        "https://a.example/\u{202e}",
        "https://ex\u{430}mple.com/",
        "https://a.example/x\n",
        " https://a.example/",
        "https://a.example/x|calc",
        "https://a.example/$(x)",
        "https://a.example/`x`",
        "https://a.example/'x'",
    ] {
        assert!(refused(server, address), "{address}");
    }
    assert!(refused(
        server,
        &format!("https://a.example/{}", "x".repeat(MAX_ADDRESS))
    ));
    assert!(!refused(
        server,
        "https://login.example.com:8443/t/token?v=2&x=%20"
    ));
}

/// AU-054: who is near may name what is near, but only this computer without TLS.
#[test]
fn a_server_on_this_computer_names_this_computer_and_the_internet_and_nothing_between() {
    let here = "http://127.0.0.1:3000/mcp";
    assert!(!refused(here, "http://localhost:9000/token"));
    assert!(!refused(here, "https://login.example.com/token"));
    for address in [
        "http://10.0.0.1/",
        "https://10.0.0.1/",
        "https://169.254.169.254/",
        "http://login.example.com/",
    ] {
        assert!(refused(here, address), "{address}");
    }
    let office = "https://192.168.0.5/mcp";
    assert!(!refused(office, "https://192.168.0.5/token"));
    for address in [
        "https://192.168.0.6/",
        "http://192.168.0.5/",
        "https://127.0.0.1/",
    ] {
        assert!(refused(office, address), "{address}");
    }
}
