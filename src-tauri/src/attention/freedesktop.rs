//! Notifications of the freedesktop kind, over the session bus. The service is asked when it is needed; where there is
//! none, or it does not answer, nothing is shown and nothing is lost.

use std::collections::HashMap;
use std::time::Duration;

use futures::StreamExt;
use zbus::zvariant::Value;

/// How long the service may take for an answer.
const PATIENCE: Duration = Duration::from_secs(5);
/// What a click on the notification itself is called.
const CLICK: &str = "default";

#[zbus::proxy(
    interface = "org.freedesktop.Notifications",
    default_service = "org.freedesktop.Notifications",
    default_path = "/org/freedesktop/Notifications",
    gen_blocking = false
)]
trait Notifications {
    #[expect(clippy::too_many_arguments, reason = "the specification has them")]
    fn notify(
        &self,
        app_name: &str,
        replaces_id: u32,
        app_icon: &str,
        summary: &str,
        body: &str,
        actions: &[&str],
        hints: HashMap<&str, Value<'_>>,
        expire_timeout: i32,
    ) -> zbus::Result<u32>;

    fn close_notification(&self, id: u32) -> zbus::Result<()>;

    #[zbus(signal)]
    fn action_invoked(&self, id: u32, action_key: String) -> zbus::Result<()>;
}

/// One notification at a time.
#[derive(Default)]
pub(super) struct DesktopNotifier {
    bus: Option<Bus>,
    /// The notification that is shown; zero where there is none.
    shown: u32,
}

struct Bus {
    service: NotificationsProxy<'static>,
    clicks: ActionInvokedStream,
}

impl DesktopNotifier {
    /// Shows this in place of what was shown before.
    pub(super) async fn show(&mut self, title: &str, text: &str) {
        let replaces = self.shown;
        let shown = within(async {
            let bus = self.bus().await?;
            let hints = HashMap::from([
                ("category", Value::from("im.received")),
                ("desktop-entry", Value::from("vestibule")),
            ]);
            let actions = [CLICK, ""];
            bus.service
                .notify(
                    "Vestibule",
                    replaces,
                    "vestibule",
                    title,
                    text,
                    &actions,
                    hints,
                    -1,
                )
                .await
        })
        .await;
        match shown {
            Ok(id) => self.shown = id,
            Err(error) => {
                tracing::debug!(error, "failed to show a notification");
                (self.bus, self.shown) = (None, 0);
            }
        }
    }

    /// Takes back what is shown.
    pub(super) async fn withdraw(&mut self) {
        let id = std::mem::take(&mut self.shown);
        let Some(bus) = self.bus.as_ref().filter(|_| id != 0) else {
            return;
        };
        if let Err(error) = within(bus.service.close_notification(id)).await {
            tracing::debug!(error, "failed to close a notification");
        }
    }

    /// Resolves when the notification that is shown is clicked.
    pub(super) async fn clicked(&mut self) {
        loop {
            let Some(bus) = &mut self.bus else {
                return std::future::pending().await;
            };
            let Some(signal) = bus.clicks.next().await else {
                self.bus = None;
                continue;
            };
            let ours = signal.args().is_ok_and(|click| *click.id() == self.shown);
            if ours && self.shown != 0 {
                return;
            }
        }
    }

    async fn bus(&mut self) -> zbus::Result<&Bus> {
        let bus = match self.bus.take() {
            Some(bus) => bus,
            None => {
                let connection = zbus::Connection::session().await?;
                let service = NotificationsProxy::new(&connection).await?;
                let clicks = service.receive_action_invoked().await?;
                Bus { service, clicks }
            }
        };
        Ok(self.bus.insert(bus))
    }
}

/// What the service answers, or why it did not, in words for the log.
async fn within<T>(answer: impl Future<Output = zbus::Result<T>>) -> Result<T, String> {
    match tokio::time::timeout(PATIENCE, answer).await {
        Ok(answer) => answer.map_err(|error| error.to_string()),
        Err(_) => Err("the service did not answer".to_owned()),
    }
}
