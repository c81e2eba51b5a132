//! The body of an entry on its way to a file and out of one. A file has no ids of servers, questions, rules and attachments,
//! and no reasons for which a call was let through: they mean something on one computer only. What comes from a file gets
//! ids that no server has, one for each name of a server, so that it can be compared with what goes to other servers and
//! stands for none.

use std::collections::HashMap;

use vestibule_app_protocol::{
    AttachmentView, BuiltInCall, BuiltInOutcome, CallBody, CallState, Compaction, ContentView, EntryBody,
    ResultChoice, TextState,
};
use vestibule_protocol::{AttachmentId, ServerId};

use crate::read::CheckContent;

/// In place of ids, in files.
const NO_ID: &str = "00000000-0000-0000-0000-000000000000";

/// The body as a file has it.
pub(crate) fn portable(mut body: EntryBody) -> EntryBody {
    settle(&mut body);
    match &mut body {
        EntryBody::User { attachments, .. } => {
            for attachment in attachments {
                attachment.id = NO_ID.parse().expect("it is an id");
                attachment.server = attachment.server.map(|_| no_server());
            }
        }
        EntryBody::Call(call) => {
            call.server = None;
            call.imported = false;
        }
        EntryBody::BuiltInCall(call) => {
            call.imported = false;
            match &mut call.outcome {
                BuiltInOutcome::Found { tools } => {
                    tools.iter_mut().for_each(|tool| tool.server = no_server());
                }
                BuiltInOutcome::Read { server, .. } => *server = None,
                BuiltInOutcome::Refused => {}
            }
        }
        EntryBody::ToolsLeftOut { tools, .. } => {
            tools.iter_mut().for_each(|tool| tool.server = no_server());
        }
        EntryBody::Compaction(compaction) => unused(compaction),
        EntryBody::Assistant { .. } | EntryBody::Failure { .. } => {}
    }
    body
}

/// Takes back a summary: text of a file stands for no messages.
fn unused(compaction: &mut Compaction) {
    if let Compaction::Summarized(summary) = compaction {
        summary.used = false;
        summary.up_to = NO_ID.parse().expect("it is an id");
    }
}

fn no_server() -> ServerId {
    NO_ID.parse().expect("it is an id")
}

/// Ends what was under way, and forgets why calls were let through.
fn settle(body: &mut EntryBody) {
    match body {
        EntryBody::Assistant { state, .. } => {
            if *state == TextState::Streaming {
                *state = TextState::Interrupted;
            }
        }
        EntryBody::Call(call) => {
            call.because.clear();
            settle_call(&mut call.state);
        }
        EntryBody::Compaction(compaction) => {
            if *compaction == Compaction::Running {
                *compaction = Compaction::Stopped;
            }
        }
        EntryBody::User { .. }
        | EntryBody::BuiltInCall(_)
        | EntryBody::ToolsLeftOut { .. }
        | EntryBody::Failure { .. } => {}
    }
}

fn settle_call(state: &mut CallState) {
    let sent = match state {
        CallState::Deciding | CallState::Waiting { .. } => false,
        CallState::Running { .. } | CallState::Task { .. } => true,
        CallState::Answered { result, .. } => {
            result.choice = result
                .choice
                .filter(|choice| matches!(choice, ResultChoice::Made { .. }));
            return;
        }
        CallState::Failed { .. }
        | CallState::Refused { .. }
        | CallState::Cancelled { .. }
        | CallState::Interrupted { .. } => return,
    };
    *state = CallState::Interrupted { sent };
}

/// Makes bodies of a file into those of a new chat.
pub(crate) struct ImportedBodies<'a> {
    /// The ids that stand for the servers of the file, by name.
    servers: HashMap<String, ServerId>,
    /// Replaces content that cannot be shown.
    check: CheckContent<'a>,
}

impl<'a> ImportedBodies<'a> {
    pub(crate) fn new(check: CheckContent<'a>) -> Self {
        Self {
            servers: HashMap::new(),
            check,
        }
    }

    /// The body as a new chat has it: marked as from a file, with new ids.
    pub(crate) fn imported(&mut self, mut body: EntryBody) -> EntryBody {
        settle(&mut body);
        match &mut body {
            EntryBody::User { attachments, .. } => {
                attachments
                    .iter_mut()
                    .for_each(|attached| self.attachment(attached));
            }
            EntryBody::Call(call) => self.call(call),
            EntryBody::BuiltInCall(call) => self.built_in(call),
            EntryBody::ToolsLeftOut { tools, .. } => {
                for tool in tools {
                    tool.server = self.server(&tool.server_name);
                }
            }
            EntryBody::Compaction(compaction) => unused(compaction),
            EntryBody::Assistant { .. } | EntryBody::Failure { .. } => {}
        }
        body
    }

    fn attachment(&mut self, attachment: &mut AttachmentView) {
        attachment.id = AttachmentId::new();
        attachment.server = attachment.server.map(|_| self.server(&attachment.server_name));
        for part in &mut attachment.parts {
            self.content(&mut part.content);
        }
    }

    fn call(&mut self, call: &mut CallBody) {
        call.imported = true;
        call.server = Some(self.server(&call.server_name));
        if let CallState::Answered { result, .. } = &mut call.state {
            result.content.iter_mut().for_each(|part| self.content(part));
            // A file has all of a result inside.
            result.structured_stored = None;
        }
    }

    fn built_in(&mut self, call: &mut BuiltInCall) {
        call.imported = true;
        match &mut call.outcome {
            BuiltInOutcome::Found { tools } => {
                for tool in tools {
                    tool.server = self.server(&tool.server_name);
                }
            }
            BuiltInOutcome::Read {
                server, server_name, ..
            } => *server = Some(self.server(server_name)),
            BuiltInOutcome::Refused => {}
        }
    }

    fn content(&self, part: &mut ContentView) {
        let nothing = ContentView::Other { kind: String::new() };
        *part = (self.check)(std::mem::replace(part, nothing));
    }

    fn server(&mut self, name: &str) -> ServerId {
        *self.servers.entry(name.to_owned()).or_insert_with(ServerId::new)
    }
}
