//! Markdown shows the branch that the chat shows, and nothing in it breaks out of its place.

use super::*;
use crate::{MarkdownWords, markdown_of};

fn words() -> MarkdownWords {
    let word = str::to_owned;
    MarkdownWords {
        you: word("You"),
        thoughts: word("Thoughts"),
        call: word("Tool call"),
        arguments: word("Arguments"),
        result: word("Result"),
        failed: word("Failed"),
        denied: word("Denied"),
        unfinished: word("Not finished"),
        attachment: word("Attachment"),
        picture: word("Picture"),
        sound: word("Sound"),
        problem: word("Problem"),
        untitled: word("Chat"),
    }
}

#[test]
fn a_chat_reads_from_top_to_bottom() {
    let chat = FileChat {
        id: String::new(),
        title: "Milk\n# and eggs".into(),
        created_ms: 0,
        updated_ms: 0,
        entries: vec![
            entry("a", None, true, user("What is in *my* note?")),
            entry("b", Some(0), false, assistant("Not shown", "")),
            entry("c", Some(0), true, assistant("", "One\ntwo")),
            entry("d", Some(2), true, rich_call()),
            entry("e", Some(3), true, assistant("It says milk.", "")),
        ],
    };
    let text = markdown_of(&chat, &words());
    let expected = "# Milk # and eggs\n\n## You\n\nWhat is in *my* note?\n\n## small\n\n> *Thoughts*\n>\n> One\n> two\n\n\
                    **Tool call: notes · read**\n\nArguments:\n\n```json\n{\n  \"deep\": [\n    {\n      \"number\": \
                    1.5,\n      \"text\": \"天气\"\n    }\n  ]\n}\n```\n\nResult:\n\n````\nmilk ``` and\u{0} eggs\n\
                    ````\n\n*Picture (image/png)*\n\n*Sound (audio/wav)*\n\n```\nOne\nnote://1\n```\n\n```\ntwo\n```\
                    \n\n```\nhologram\n```\n\nIt says milk.\n";
    assert_eq!(text, expected);
}

#[test]
fn what_was_attached_is_named() {
    let id = "00000000-0000-0000-0000-000000000000";
    let attached = |server_name: &str, from: Value| {
        json!({ "id": id, "server": null, "server_name": server_name, "from": from, "parts": [],
                "cut_bytes": 0 })
    };
    let file = json!({ "from": "file", "name": "trip.txt", "bytes": 6 });
    let resource = json!({ "from": "resource", "uri": "note://1", "name": "Milk" });
    let attachments = [attached("", file), attached("notes", resource)];
    let message = body(json!({ "kind": "user", "text": "See these.", "attachments": attachments }));
    let chat = FileChat {
        id: String::new(),
        title: "Trip".into(),
        created_ms: 0,
        updated_ms: 0,
        entries: vec![entry("a", None, true, message)],
    };
    let expected =
        "# Trip\n\n## You\n\nSee these.\n\n**Attachment: trip.txt**\n\n**Attachment: notes · Milk**\n";
    assert_eq!(markdown_of(&chat, &words()), expected);
}

#[test]
fn a_chat_without_words_has_a_title() {
    let chat = FileChat {
        id: String::new(),
        title: String::new(),
        created_ms: 0,
        updated_ms: 0,
        entries: vec![],
    };
    assert_eq!(markdown_of(&chat, &words()), "# Chat\n");
}
