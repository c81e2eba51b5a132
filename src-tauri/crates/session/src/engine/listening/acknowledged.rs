//! What comes under the name of a listening request: what the server agrees to tell, and the changes themselves.
//! What was not asked for is passed over.

use serde::Deserialize;
use vestibule_protocol::json::RawJson;
use vestibule_protocol::modern::SubscriptionFilter;

use super::super::announce::Announcer;
use super::super::inbound::announce_update;
use super::super::outbound::Outbound;
use super::super::params::{brief, read_params};
use super::Subscriptions;
use crate::error::CallError;

impl Subscriptions {
    /// Something under the name of a listening request of ours.
    pub(in crate::engine) fn on_change(
        &mut self,
        id: i64,
        method: &str,
        params: Option<RawJson<'_>>,
        outbound: &mut Outbound,
        announcer: &mut Announcer,
    ) {
        if method == "notifications/subscriptions/acknowledged" {
            return self.on_acknowledged(id, params, outbound, announcer);
        }
        let Some(stream) = self.streams.iter().find(|stream| stream.id == id) else {
            return;
        };
        let filter = &stream.filter;
        match method {
            "notifications/tools/list_changed" if filter.tools_list_changed => announcer.tools_changed(),
            "notifications/prompts/list_changed" if filter.prompts_list_changed => {
                announcer.prompts_changed();
            }
            "notifications/resources/list_changed" if filter.resources_list_changed => {
                announcer.resources_changed();
            }
            // It may be a part of the watched resource, with an address of its own.
            "notifications/resources/updated" if !filter.resource_subscriptions.is_empty() => {
                announce_update(announcer, params);
            }
            other => announcer.oddity(format!(
                "a notification {:?} that was not asked for",
                brief(other)
            )),
        }
    }

    fn on_acknowledged(
        &mut self,
        id: i64,
        params: Option<RawJson<'_>>,
        outbound: &mut Outbound,
        announcer: &mut Announcer,
    ) {
        let Some(stream) = self.streams.iter_mut().find(|stream| stream.id == id) else {
            return;
        };
        if stream.acknowledged {
            return;
        }
        stream.acknowledged = true;
        let asked = stream.filter.clone();
        // An acknowledgement that does not say of what is one of everything.
        let granted = read_params::<Acknowledged>(params).map_or(asked.clone(), |said| said.notifications);
        let refused = &asked.resource_subscriptions - &granted.resource_subscriptions;
        stream
            .filter
            .resource_subscriptions
            .retain(|uri| !refused.contains(uri));
        self.wanted
            .resource_subscriptions
            .retain(|uri| !refused.contains(uri));
        if list_changes(&asked) != list_changes(&granted) {
            announcer.oddity("the server will not tell of all the changes it said it could tell of");
        }
        self.settle(&asked.resource_subscriptions, |uri| match refused.contains(uri) {
            true => Err(CallError::NotSupported),
            false => Ok(()),
        });
        self.in_use(id, outbound, announcer);
    }

    pub(super) fn announce_everything(&self, announcer: &mut Announcer) {
        let wanted = &self.wanted;
        if wanted.tools_list_changed {
            announcer.tools_changed();
        }
        if wanted.prompts_list_changed {
            announcer.prompts_changed();
        }
        if wanted.resources_list_changed {
            announcer.resources_changed();
        }
        for uri in &wanted.resource_subscriptions {
            announcer.resource_updated(uri.clone());
        }
    }
}

#[derive(Deserialize)]
struct Acknowledged {
    notifications: SubscriptionFilter,
}

/// Which lists are watched for changes.
fn list_changes(filter: &SubscriptionFilter) -> [bool; 3] {
    [
        filter.tools_list_changed,
        filter.prompts_list_changed,
        filter.resources_list_changed,
    ]
}
