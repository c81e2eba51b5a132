//! The branch that a chat shows as Markdown, to read and to pass on. What servers returned is fenced, so that none of it
//! can end its frame; what the user and models wrote leaves no fence open that this one would end. Names and titles are text,
//! not Markdown. Pictures and sounds are only named.

use vestibule_app_protocol::{
    AttachmentFrom, AttachmentView, BuiltInCall, CallBody, CallState, ContentView, EntryBody, ResultView,
};

use crate::chat::FileChat;
use crate::open_block::{closing, longest_run};

/// What begins or ends something in a line of Markdown.
const MARKUP: &[char] = &['\\', '`', '*', '[', ']', '<', '>', '&', '~'];

/// The words of Vestibule in a Markdown file, in the user's language.
#[derive(Clone, Debug)]
pub struct MarkdownWords {
    pub you: String,
    pub thoughts: String,
    pub call: String,
    pub arguments: String,
    pub result: String,
    pub failed: String,
    /// Of a call that was not allowed.
    pub denied: String,
    /// Of a call that did not end.
    pub unfinished: String,
    pub attachment: String,
    pub picture: String,
    pub sound: String,
    pub problem: String,
    /// Of a chat without a title.
    pub untitled: String,
}

/// The branch that the chat shows.
#[must_use]
pub fn markdown_of(chat: &FileChat, words: &MarkdownWords) -> String {
    let title = if chat.title.is_empty() {
        &words.untitled
    } else {
        &chat.title
    };
    let mut page = MarkdownPage {
        text: format!("# {}\n", line(title)),
        words,
        speaker: None,
    };
    for entry in chat.entries.iter().filter(|entry| entry.shown) {
        page.entry(&entry.body);
    }
    page.text
}

/// A Markdown file so far.
struct MarkdownPage<'a> {
    text: String,
    words: &'a MarkdownWords,
    /// Whose words come last, so that an answer in several parts has one heading.
    speaker: Option<String>,
}

impl MarkdownPage<'_> {
    fn entry(&mut self, body: &EntryBody) {
        match body {
            EntryBody::User { text, attachments } => {
                self.speaker = None;
                self.heading(&self.words.you.clone());
                self.said(text);
                attachments
                    .iter()
                    .for_each(|attachment| self.attachment(attachment));
            }
            EntryBody::Assistant {
                text,
                reasoning,
                model,
                ..
            } => self.answer(text, reasoning, model),
            EntryBody::Call(call) => self.call(call),
            EntryBody::BuiltInCall(call) => self.built_in(call),
            EntryBody::ToolsLeftOut { .. } | EntryBody::Compaction(_) => {}
            EntryBody::Failure { problem, .. } => {
                let problem = format!("*{}: {}*", self.words.problem, line(&problem.to_string()));
                self.paragraph(&problem);
            }
        }
    }

    fn answer(&mut self, text: &str, reasoning: &str, model: &str) {
        if text.trim().is_empty() && reasoning.trim().is_empty() {
            return;
        }
        self.heading(model);
        if !reasoning.trim().is_empty() {
            // A lone carriage return would end the quote.
            let reasoning = reasoning.trim().replace("\r\n", "\n").replace('\r', "\n");
            let quoted = format!("{reasoning}{}", closing(&reasoning)).replace('\n', "\n> ");
            self.paragraph(&format!("> *{}*\n>\n> {quoted}", self.words.thoughts));
        }
        self.said(text);
    }

    fn call(&mut self, call: &CallBody) {
        let tool = of_server(&call.server_name, &call.tool);
        self.paragraph(&format!("**{}: {tool}**", self.words.call));
        self.arguments(&call.arguments);
        match &call.state {
            CallState::Answered { result, .. } => self.result(result),
            CallState::Failed { problem } => {
                self.paragraph(&format!("{}:", self.words.failed));
                self.fenced("", &problem.to_string());
            }
            CallState::Refused { .. } => self.paragraph(&self.words.denied.clone()),
            CallState::Deciding
            | CallState::Waiting { .. }
            | CallState::Running { .. }
            | CallState::Task { .. }
            | CallState::Cancelled { .. }
            | CallState::Interrupted { .. } => self.paragraph(&self.words.unfinished.clone()),
        }
    }

    fn built_in(&mut self, call: &BuiltInCall) {
        self.paragraph(&format!("**{}: {}**", self.words.call, call.tool.name()));
        self.arguments(&call.arguments);
        self.paragraph(&format!("{}:", self.words.result));
        self.fenced("", &call.words);
    }

    fn arguments(&mut self, arguments: &serde_json::Map<String, serde_json::Value>) {
        if !arguments.is_empty() {
            self.paragraph(&format!("{}:", self.words.arguments));
            self.fenced(
                "json",
                &format!("{:#}", serde_json::Value::Object(arguments.clone())),
            );
        }
    }

    fn result(&mut self, result: &ResultView) {
        let label = if result.failed {
            &self.words.failed
        } else {
            &self.words.result
        };
        self.paragraph(&format!("{label}:"));
        result.content.iter().for_each(|part| self.content(part));
        if let Some(structured) = result.structured.as_ref().filter(|_| result.content.is_empty()) {
            self.fenced("json", &format!("{structured:#}"));
        }
    }

    fn attachment(&mut self, attachment: &AttachmentView) {
        let (AttachmentFrom::Resource { name, .. }
        | AttachmentFrom::Prompt { name, .. }
        | AttachmentFrom::File { name, .. }) = &attachment.from;
        let what = of_server(&attachment.server_name, name);
        self.paragraph(&format!("**{}: {what}**", self.words.attachment));
        attachment
            .parts
            .iter()
            .for_each(|part| self.content(&part.content));
    }

    fn content(&mut self, part: &ContentView) {
        match part {
            ContentView::Text { text } => self.fenced("", text),
            ContentView::Image { mime, .. } => self.named(&self.words.picture.clone(), mime),
            ContentView::Audio { mime, .. } => self.named(&self.words.sound.clone(), mime),
            ContentView::Link { uri, name, .. } => self.fenced("", &format!("{name}\n{uri}")),
            ContentView::Resource { uri, text, .. } => {
                self.fenced("", text.as_deref().unwrap_or(uri));
            }
            // Read before the file is written; what could not be read has its beginning here.
            ContentView::Stored { part } => self.fenced("", &part.beginning),
            ContentView::Other { kind } => self.fenced("", kind),
        }
    }

    fn named(&mut self, what: &str, kind: &str) {
        self.paragraph(&format!("*{what} ({})*", line(kind)));
    }

    fn heading(&mut self, speaker: &str) {
        if self.speaker.as_deref() != Some(speaker) {
            self.paragraph(&format!("## {}", line(speaker)));
            self.speaker = Some(speaker.to_owned());
        }
    }

    /// Words of the user or a model as they are; a block that they leave open is closed.
    fn said(&mut self, text: &str) {
        let text = text.trim_end();
        self.paragraph(&format!("{text}{}", closing(text)));
    }

    fn paragraph(&mut self, text: &str) {
        let text = text.trim_end();
        if !text.is_empty() {
            self.text.push('\n');
            self.text.push_str(text);
            self.text.push('\n');
        }
    }

    /// Text as it is, in a fence that is longer than any in it.
    fn fenced(&mut self, language: &str, text: &str) {
        let fence = "`".repeat(longest_run(text, '`').max(2) + 1);
        self.paragraph(&format!("{fence}{language}\n{text}\n{fence}"));
    }
}

/// Something of a server on one line; `server` is empty where it is of none.
fn of_server(server: &str, what: &str) -> String {
    let both = [server, what].map(line);
    let named: Vec<String> = both.into_iter().filter(|name| !name.is_empty()).collect();
    named.join(" · ")
}

/// A text of others on one line, which is no Markdown: a name could otherwise load a picture from elsewhere.
fn line(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut before = ' ';
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        // An underscore inside a word emphasizes nothing, and names of tools are full of them.
        let in_word = before.is_alphanumeric() && rest.peek().copied().is_some_and(char::is_alphanumeric);
        if MARKUP.contains(&c) || (c == '_' && !in_word) {
            shown.push('\\');
        }
        shown.push(if matches!(c, '\n' | '\r') { ' ' } else { c });
        before = c;
    }
    shown
}
