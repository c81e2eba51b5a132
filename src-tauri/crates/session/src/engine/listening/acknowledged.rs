//! What comes under the name of a listening request: what the server agrees to tell, and the changes themselves.
//! What was not asked for is passed over.

use serde::Deserialize;
use serde_json::value::RawValue;
use vestibule_protocol::modern::SubscriptionFilter;

use super::super::Engine;
use super::super::inbound::{Updated, brief, read_params};
use crate::error::CallError;

impl Engine {
    /// Something under the name of a listening request of ours.
    pub(in crate::engine) fn on_subscribed(&mut self, id: i64, method: &str, params: Option<&RawValue>) {
        if method == "notifications/subscriptions/acknowledged" {
            return self.on_acknowledged(id, params);
        }
        let Some(stream) = self.listening.streams.iter().find(|stream| stream.id == id) else {
            return;
        };
        let filter = &stream.filter;
        match method {
            "notifications/tools/list_changed" if filter.tools_list_changed => self.announcer.tools_changed(),
            "notifications/prompts/list_changed" if filter.prompts_list_changed => {
                self.announcer.prompts_changed();
            }
            "notifications/resources/list_changed" if filter.resources_list_changed => {
                self.announcer.resources_changed();
            }
            // It may be a part of the watched resource, with an address of its own.
            "notifications/resources/updated" if !filter.resource_subscriptions.is_empty() => {
                match read_params::<Updated>(params) {
                    Some(Updated { uri }) => self.announcer.resource_updated(uri),
                    None => self
                        .announcer
                        .oddity("an update of a resource without its address"),
                }
            }
            other => self.announcer.oddity(format!(
                "a notification {:?} that was not asked for",
                brief(other)
            )),
        }
    }

    fn on_acknowledged(&mut self, id: i64, params: Option<&RawValue>) {
        #[derive(Deserialize)]
        struct Acknowledged {
            notifications: SubscriptionFilter,
        }
        let Some(stream) = self.listening.streams.iter_mut().find(|stream| stream.id == id) else {
            return;
        };
        if stream.acknowledged {
            return;
        }
        stream.acknowledged = true;
        let asked = stream.filter.clone();
        // An acknowledgement that does not say of what is one of everything.
        let granted =
            read_params::<Acknowledged>(params).map_or_else(|| asked.clone(), |said| said.notifications);
        let refused: Vec<String> = asked
            .resource_subscriptions
            .difference(&granted.resource_subscriptions)
            .cloned()
            .collect();
        for uri in &refused {
            stream.filter.resource_subscriptions.remove(uri);
            self.listening.wanted.resource_subscriptions.remove(uri);
        }
        let flags = |filter: &SubscriptionFilter| {
            (
                filter.tools_list_changed,
                filter.prompts_list_changed,
                filter.resources_list_changed,
            )
        };
        if flags(&asked) != flags(&granted) {
            self.announcer
                .oddity("the server will not tell of all the changes it said it could tell of");
        }
        self.listening.settle(&asked.resource_subscriptions, |uri| {
            if refused.iter().any(|other| other == uri) {
                Err(CallError::NotSupported)
            } else {
                Ok(())
            }
        });
        self.in_use(id);
    }

    pub(super) fn announce_everything(&mut self) {
        let wanted = self.listening.wanted.clone();
        if wanted.tools_list_changed {
            self.announcer.tools_changed();
        }
        if wanted.prompts_list_changed {
            self.announcer.prompts_changed();
        }
        if wanted.resources_list_changed {
            self.announcer.resources_changed();
        }
        for uri in wanted.resource_subscriptions {
            self.announcer.resource_updated(uri);
        }
    }
}
