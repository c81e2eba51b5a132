//! What kind of place an address is, and how far each policy reaches.

use super::AddressClass::{Global, LinkLocal, Loopback, Private, Special};
use super::*;

/// AU-054.
#[test]
fn an_address_is_judged_by_where_it_leads_however_it_is_written() {
    let cases = [
        ("93.184.215.14", Global),
        ("2606:4700::1", Global),
        ("172.15.0.1", Global),
        ("172.32.0.1", Global),
        ("100.63.0.1", Global),
        ("127.0.0.1", Loopback),
        ("127.255.255.255", Loopback),
        ("::1", Loopback),
        ("::ffff:127.0.0.1", Loopback),
        ("64:ff9b::7f00:1", Loopback),
        ("2002:7f00:1::", Loopback),
        ("10.1.2.3", Private),
        ("172.16.0.1", Private),
        ("172.31.255.255", Private),
        ("192.168.0.1", Private),
        ("100.64.0.1", Private),
        ("100.127.255.255", Private),
        ("fd00::1", Private),
        ("fec0::1", Private),
        ("::ffff:192.168.1.1", Private),
        ("64:ff9b:1::1", Private),
        ("169.254.169.254", LinkLocal),
        ("fe80::1", LinkLocal),
        ("::ffff:169.254.169.254", LinkLocal),
        ("2002:a9fe:a9fe::1", LinkLocal),
        ("0.0.0.0", Special),
        ("0.1.2.3", Special),
        ("::", Special),
        ("::7f00:1", Special),
        ("192.0.2.1", Special),
        ("198.18.0.1", Special),
        ("198.19.0.1", Special),
        ("198.51.100.1", Special),
        ("203.0.113.1", Special),
        ("224.0.0.1", Special),
        ("255.255.255.255", Special),
        ("2001::1", Special),
        ("2001:db8::1", Special),
        ("3fff::1", Special),
        ("ff02::1", Special),
        ("100::1", Special),
        ("5f00::1", Special),
    ];
    for (text, class) in cases {
        assert_eq!(classify(text.parse().unwrap()), class, "{text}");
    }
}

#[test]
fn only_what_the_person_wrote_as_local_reaches_what_is_near() {
    let near = [
        "http://127.0.0.1:1/",
        "http://[::1]/",
        "https://192.168.0.1/",
        "http://localhost:3000/mcp",
        "http://a.localhost/",
        "http://0x7f.1/",
        "http://LOCALHOST./",
    ];
    for text in near {
        assert_eq!(
            NetworkReach::for_server(&text.parse().unwrap()),
            NetworkReach::Local,
            "{text}"
        );
    }
    for text in [
        "https://example.com/",
        "https://localhost.example.com/",
        "https://1.1.1.1/",
    ] {
        assert_eq!(
            NetworkReach::for_server(&text.parse().unwrap()),
            NetworkReach::Public,
            "{text}"
        );
    }
}

#[test]
fn a_name_never_leads_to_this_computer_or_its_link_unless_it_means_it() {
    let admits =
        |reach: NetworkReach, name: &str, ip: &str| reach.admits_resolved(name, ip.parse().unwrap(), true);
    for ip in [
        "127.0.0.1",
        "10.0.0.1",
        "169.254.169.254",
        "0.0.0.0",
        "::ffff:10.0.0.1",
    ] {
        assert!(!admits(NetworkReach::Public, "example.com", ip), "{ip}");
    }
    assert!(admits(NetworkReach::Public, "example.com", "1.1.1.1"));
    assert!(admits(NetworkReach::Local, "mcp.corp.example", "10.0.0.1"));
    for ip in ["127.0.0.1", "169.254.169.254", "::"] {
        assert!(!admits(NetworkReach::Local, "mcp.corp.example", ip), "{ip}");
    }
    assert!(admits(NetworkReach::Local, "localhost", "::1"));
    assert!(!admits(NetworkReach::Local, "localhost", "1.1.1.1"));
    // In the clear, only what is near.
    assert!(!NetworkReach::Local.admits_resolved("mcp.corp.example", "1.1.1.1".parse().unwrap(), false));
    assert!(NetworkReach::Local.admits_resolved("mcp.corp.example", "10.0.0.1".parse().unwrap(), false));
    assert!(!NetworkReach::Local.admits_literal("0.0.0.0".parse().unwrap(), true));
}

/// M10.
#[test]
fn what_a_server_names_is_no_name_of_an_inner_network_unless_it_has_one_itself() {
    let reach = |server: &str, address: &str| {
        NetworkReach::for_sign_in(&server.parse().unwrap(), &address.parse().unwrap())
    };
    let far = "https://mcp.example.com/mcp";
    for inner in [
        "wiki",
        "wiki.corp",
        "a.b.internal",
        "nas.local.",
        "x.HOME.arpa",
        "svc",
    ] {
        let reach = reach(far, &format!("https://{inner}/"));
        assert!(!reach.admits_name(inner), "{inner}");
    }
    assert!(reach(far, "https://login.example.com/").admits_name("login.example.com"));
    assert!(reach("https://mcp.corp/", "https://login.corp/").admits_name("login.corp"));
    assert!(!reach("https://mcp.corp/", "https://localhost/").admits_name("localhost"));
    assert!(!reach("http://192.168.0.5/", "https://wiki.corp/").admits_name("wiki.corp"));
}

#[test]
fn a_model_is_where_the_user_entered_it_and_a_public_name_does_not_lead_to_this_computer() {
    let admits = |name: &str, ip: &str, encrypted| {
        NetworkReach::Entered.admits_resolved(name, ip.parse().unwrap(), encrypted)
    };
    for (name, ip) in [
        ("models.example", "1.1.1.1"),
        ("models.example", "10.0.0.1"),
        ("box", "127.0.1.1"),
        ("box.local", "169.254.3.4"),
        ("localhost", "127.0.0.1"),
    ] {
        assert!(admits(name, ip, false) && admits(name, ip, true), "{name} {ip}");
    }
    for (name, ip) in [
        ("models.example", "127.0.0.1"),
        ("models.example", "169.254.169.254"),
        ("box", "0.0.0.0"),
        ("localhost", "10.0.0.1"),
    ] {
        assert!(!admits(name, ip, true), "{name} {ip}");
    }
}

/// L-10.
#[test]
fn a_secret_goes_over_tls_or_to_a_near_address_that_is_written_as_one() {
    for (address, keeps) in [
        ("https://models.example/v1", true),
        ("http://localhost:11434/v1", true),
        ("http://127.0.0.1/", true),
        ("http://[::1]/", true),
        ("http://192.168.1.20:8080/", true),
        ("http://[fd00::1]/", true),
        ("http://models.example/v1", false),
        ("http://box/v1", false),
        ("http://box.local/v1", false),
        ("http://1.1.1.1/", false),
        ("http://169.254.169.254/", false),
        ("http://0.0.0.0/", false),
        ("ftp://models.example/", false),
    ] {
        assert_eq!(keeps_secret(&address.parse().unwrap()), keeps, "{address}");
    }
}
