//! The tools, written once: pages of a hundred. The first four do something, the others are there to be listed.

/// Tools on a page.
pub(crate) const PAGE: usize = 100;

/// The `tools` member of each page, as JSON.
pub(crate) fn pages(count: usize) -> Vec<String> {
    let all: Vec<String> = (0..count).map(tool).collect();
    let pages: Vec<String> = all
        .chunks(PAGE)
        .map(|page| format!("[{}]", page.join(",")))
        .collect();
    if pages.is_empty() {
        vec!["[]".into()]
    } else {
        pages
    }
}

fn tool(index: usize) -> String {
    let small = |name: &str, property: &str, kind: &str| {
        format!(
            r#"{{"name":"{name}","description":"For measuring.","inputSchema":{{"type":"object","properties":{{"{property}":{{"type":"{kind}"}}}},"required":["{property}"]}}}}"#
        )
    };
    match index {
        0 => small("echo", "text", "string"),
        1 => small("blob", "bytes", "integer"),
        2 => small("sleep", "ms", "integer"),
        3 => small("flood", "n", "integer"),
        _ => filler(index),
    }
}

fn filler(index: usize) -> String {
    format!(
        r#"{{"name":"tool_{index:05}","title":"Tool number {index}","description":"Stands in a long list of tools, as servers have them, and answers with an empty text.","inputSchema":{{"type":"object","properties":{{"path":{{"type":"string","description":"Where to look"}},"limit":{{"type":"integer","minimum":1}},"deep":{{"type":"boolean"}}}},"required":["path"]}},"annotations":{{"readOnlyHint":true,"openWorldHint":false}}}}"#
    )
}
