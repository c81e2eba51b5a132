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

/// A chat whose entries follow each other and are all shown.
fn branch(bodies: Vec<EntryBody>) -> FileChat {
    let follows = |number: usize| number.checked_sub(1);
    let entries = bodies.into_iter().enumerate();
    FileChat {
        id: String::new(),
        title: String::new(),
        created_ms: 0,
        updated_ms: 0,
        entries: entries
            .map(|(number, body)| entry(&number.to_string(), follows(number), true, body))
            .collect(),
    }
}

/// A result that loads a picture from elsewhere where it is read as Markdown.
const RESULT: &str = "![a](https://evil.example/x.png)";

fn call() -> EntryBody {
    body(json!({
        "kind": "call", "call": "c", "called_as": "notes__read", "server": null, "server_name": "notes",
        "tool": "read", "arguments": {}, "edited": false, "because": [], "state": "answered", "elapsed_ms": 1,
        "result": { "content": [{ "type": "text", "text": RESULT }], "structured": null, "failed": false,
            "misfits": [], "unchecked": null, "cut_bytes": 0, "model_cut_bytes": 0 }
    }))
}

#[test]
fn names_and_titles_are_text() {
    let mut call = call();
    if let EntryBody::Call(call) = &mut call {
        call.server_name = RESULT.into();
        call.tool = "read_file_ <img src=x>".into();
    }
    let mut answer = assistant("It says milk.", "");
    if let EntryBody::Assistant { model, .. } = &mut answer {
        *model = "`small` & *fast*".into();
    }
    let mut chat = branch(vec![user("Read it."), call, answer]);
    chat.title = RESULT.into();
    let page = markdown_of(&chat, &words());
    let escaped = r"!\[a\](https://evil.example/x.png)";
    for wanted in [
        &format!("# {escaped}"),
        &format!(r"**Tool call: {escaped} · read_file\_ \<img src=x\>**"),
        r"## \`small\` \& \*fast\*",
    ] {
        let outside = (None, wanted.to_owned());
        assert!(
            fenced_lines(&page).contains(&outside),
            "{wanted} is not in {page}"
        );
    }
}

/// The fences of a page and what is in them; `None` for a line outside. No line of these pages is in a list or in HTML.
fn fenced_lines(page: &str) -> Vec<(Option<String>, String)> {
    let mut open: Option<String> = None;
    let mut lines = vec![];
    for line in page.lines() {
        let line = line.trim_start_matches(' ');
        let run: String = line.chars().take_while(|c| matches!(c, '`' | '~')).collect();
        match &open {
            Some(fence) if run.starts_with(fence.as_str()) && line == run => open = None,
            None if run.len() >= 3 => open = Some(run),
            _ => lines.push((open.clone(), line.to_owned())),
        }
    }
    lines
}

/// Asserts that the result is in a fence and that the heading after it is a heading.
fn assert_holds(page: &str) {
    let lines = fenced_lines(page);
    let place = |wanted: &str| {
        lines
            .iter()
            .rev()
            .find(|(_, line)| line == wanted)
            .map(|(fence, _)| fence.clone())
    };
    assert_eq!(place(RESULT), Some(Some("```".to_owned())), "{page}");
    assert_eq!(place("## You"), Some(None), "{page}");
    let result = page.split_once("Result:\n\n").map(|(_, result)| result);
    assert_eq!(
        result,
        Some(format!("```\n{RESULT}\n```\n\n## You\n\nThanks.\n").as_str()),
        "{page}"
    );
}

#[test]
fn code_that_words_leave_open_does_not_reach_the_result_after_it() {
    for text in [
        "```py\nx = 1",
        "```py\nx = 1\n```\nand\n~~~\ny",
        "   ~~~~ a `word`\n~~~",
        "````\n```",
        "See\r```\rx",
    ] {
        for bodies in [
            vec![assistant(text, ""), call(), user("Thanks.")],
            vec![user(text), assistant("I look.", ""), call(), user("Thanks.")],
            vec![assistant("I look.", text), call(), user("Thanks.")],
            vec![assistant("", &format!("One\r{text}")), call(), user("Thanks.")],
        ] {
            // The walker of this test knows line feeds only.
            assert_holds(&markdown_of(&branch(bodies), &words()).replace('\r', "\n"));
        }
    }
}

#[test]
fn what_a_text_leaves_open_is_closed_and_nothing_else() {
    let html = "\n\n<!-- </pre> ?> ]]> -->";
    for (text, closing) in [
        ("", ""),
        ("words with ``` in them\n`code`", ""),
        ("```\ncode\n```\nwords", ""),
        ("```\r\ncode\r\n```\r\nwords", ""),
        ("```code```", ""),
        ("    ```\n> ```\n- ```", ""),
        (
            "Steps:\n1. Run\n   ```sh\n   make\n   ```\n2. Look\n\n   ```\n   x\n   ```",
            "",
        ),
        ("- a\n\n  ```\n  left open in a list", ""),
        ("<!-- whole -->\nwords", ""),
        ("```py\nx = 1", "\n```"),
        ("~~~~\n~~~\n```", "\n~~~~"),
        ("```\n``` py\n    ```", "\n```"),
        ("- a\n```\nx", "\n```"),
        ("words\n<!-- begun", html),
        ("  <PRE>\nwords", html),
        ("<?php\n```", "\n\n<!-- </pre> ?> ]]> -->\n\n```text\n```"),
        ("2. a\nmay be the list\n   ~~~~", "\n\n~~~~text\n~~~~"),
    ] {
        assert_eq!(crate::open_block::closing(text), closing, "{text:?}");
    }
}

/// A comment ends at the next `-->` only, also after empty lines and headings.
#[test]
fn a_comment_that_words_leave_open_is_closed_before_the_next_heading() {
    let page = markdown_of(
        &branch(vec![
            user("Look\n<!-- at"),
            assistant("I look.", ""),
            call(),
            user("Thanks."),
        ]),
        &words(),
    );
    let (begun, rest) = page.split_once("-->").unwrap();
    assert!(!begun.contains("## small"), "{page}");
    assert!(rest.contains("## small"), "{page}");
    assert_holds(&page);
}
