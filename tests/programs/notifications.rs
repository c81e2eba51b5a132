//! The notification service of a desktop, for tests: it takes the well-known name on the session bus, writes each thing
//! it is asked as one line of JSON, and clicks a notification when a line `click ID` comes in. It draws nothing.
#![allow(clippy::print_stdout, reason = "whoever starts it reads there")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[cfg(target_os = "linux")]
mod service {
    use std::collections::HashMap;

    use serde_json::json;
    use tokio::io::{AsyncBufReadExt, BufReader};
    use zbus::object_server::SignalEmitter;
    use zbus::zvariant::OwnedValue;

    const PATH: &str = "/org/freedesktop/Notifications";

    #[derive(Default)]
    struct Service {
        last: u32,
    }

    #[zbus::interface(name = "org.freedesktop.Notifications")]
    impl Service {
        #[expect(clippy::too_many_arguments, reason = "the specification has them")]
        fn notify(
            &mut self,
            app_name: &str,
            replaces_id: u32,
            _app_icon: &str,
            summary: &str,
            body: &str,
            actions: Vec<String>,
            _hints: HashMap<String, OwnedValue>,
            _expire_timeout: i32,
        ) -> u32 {
            if replaces_id == 0 {
                self.last += 1;
            }
            let id = if replaces_id == 0 { self.last } else { replaces_id };
            println!(
                "{}",
                json!({ "shown": id, "app": app_name, "title": summary, "text": body, "actions": actions })
            );
            id
        }

        async fn close_notification(
            &self,
            id: u32,
            #[zbus(signal_emitter)] emitter: SignalEmitter<'_>,
        ) -> zbus::fdo::Result<()> {
            println!("{}", json!({ "withdrawn": id }));
            Ok(Self::notification_closed(&emitter, id, 3).await?)
        }

        fn get_capabilities(&self) -> Vec<String> {
            vec!["actions".into(), "body".into()]
        }

        fn get_server_information(&self) -> (&str, &str, &str, &str) {
            ("test", "Vestibule", "1", "1.2")
        }

        #[zbus(signal)]
        async fn action_invoked(emitter: &SignalEmitter<'_>, id: u32, action_key: &str) -> zbus::Result<()>;

        #[zbus(signal)]
        async fn notification_closed(emitter: &SignalEmitter<'_>, id: u32, reason: u32) -> zbus::Result<()>;
    }

    pub(super) async fn run() {
        let builder = zbus::connection::Builder::session().unwrap();
        let builder = builder.serve_at(PATH, Service::default()).unwrap();
        let bus = builder
            .name("org.freedesktop.Notifications")
            .unwrap()
            .build()
            .await
            .unwrap();
        println!("{}", json!({ "ready": true }));
        let mut lines = BufReader::new(tokio::io::stdin()).lines();
        while let Ok(Some(line)) = lines.next_line().await {
            let id: u32 = line.strip_prefix("click ").unwrap().parse().unwrap();
            let service = bus.object_server().interface::<_, Service>(PATH).await.unwrap();
            Service::action_invoked(service.signal_emitter(), id, "default")
                .await
                .unwrap();
        }
    }
}

#[cfg(target_os = "linux")]
#[tokio::main(flavor = "current_thread")]
async fn main() {
    service::run().await;
}

#[cfg(not(target_os = "linux"))]
fn main() {}
