//! The entries of a chat of a file, brought into an order in which each comes after the one it follows. Whatever the file
//! claims, the result is a tree: what follows nothing that is there, or itself, is left out. Linear in the size of the chat.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use vestibule_app_protocol::{CallState, ChatPartFault, EntryBody, ResultView};

use crate::chat::FileEntry;
use crate::left_out::LeftOut;

/// A message of a file, which can be several entries or none.
pub(crate) struct FileNode {
    pub(crate) id: String,
    /// The id of the one it follows.
    pub(crate) parent: Option<String>,
    /// In milliseconds since 1970; `None` where the file does not say.
    pub(crate) at_ms: Option<i64>,
    pub(crate) said: NodeContent,
}

/// What a message of a file says.
pub(crate) enum NodeContent {
    /// Entries that follow each other. None where the message is not imported; what follows it then follows its parent.
    Entries(Vec<EntryBody>),
    /// The result of the call right before it.
    Result(ResultView),
}

/// The entries in order. `shown` is the message whose branch is shown: without it, that of the last one. `created_ms` is
/// the time of entries for which the file has none.
pub(crate) fn entries(
    nodes: Vec<FileNode>,
    shown: Option<&str>,
    created_ms: i64,
    left_out: &mut LeftOut,
) -> Vec<FileEntry> {
    let links = Links::new(&nodes, left_out);
    let mut tree = EntryTree::default();
    let mut places: Vec<Option<usize>> = vec![None; nodes.len()];
    let mut ready: BinaryHeap<Reverse<usize>> = links.roots.iter().copied().map(Reverse).collect();
    let mut nodes: Vec<Option<FileNode>> = nodes.into_iter().map(Some).collect();
    while let Some(Reverse(number)) = ready.pop() {
        ready.extend(links.children[number].iter().copied().map(Reverse));
        let parent = links.parents[number].and_then(|parent| places[parent]);
        if let Some(node) = nodes[number].take() {
            places[number] = tree.add(node, parent, created_ms, left_out);
        }
    }
    let end = shown
        .and_then(|id| links.by_id.get(id))
        .and_then(|&number| places[number]);
    tree.show(end);
    tree.entries
}

/// Which message follows which, by number.
struct Links {
    by_id: HashMap<String, usize>,
    parents: Vec<Option<usize>>,
    children: Vec<Vec<usize>>,
    roots: Vec<usize>,
}

impl Links {
    fn new(nodes: &[FileNode], left_out: &mut LeftOut) -> Self {
        let mut links = Self {
            by_id: HashMap::new(),
            parents: vec![None; nodes.len()],
            children: vec![vec![]; nodes.len()],
            roots: vec![],
        };
        let mut is_doubled = vec![false; nodes.len()];
        for (number, node) in nodes.iter().enumerate() {
            if links.by_id.contains_key(&node.id) {
                is_doubled[number] = true;
                left_out.add(ChatPartFault::IdTaken, &node.id);
            } else {
                links.by_id.insert(node.id.clone(), number);
            }
        }
        let mut lost = vec![];
        for (number, node) in nodes
            .iter()
            .enumerate()
            .filter(|(number, _)| !is_doubled[*number])
        {
            match &node.parent {
                None => links.roots.push(number),
                Some(parent) => match links.by_id.get(parent) {
                    Some(&parent) => {
                        links.parents[number] = Some(parent);
                        links.children[parent].push(number);
                    }
                    None => lost.push(number),
                },
            }
        }
        links.report(nodes, lost, &is_doubled, left_out);
        links
    }

    /// Reports the messages that no root leads to: those after a missing one, and those in circles.
    fn report(&self, nodes: &[FileNode], lost: Vec<usize>, is_doubled: &[bool], left_out: &mut LeftOut) {
        let mut is_known = is_doubled.to_vec();
        for number in self.with_descendants(self.roots.clone()) {
            is_known[number] = true;
        }
        for number in self.with_descendants(lost) {
            is_known[number] = true;
            left_out.add(ChatPartFault::ParentMissing, &nodes[number].id);
        }
        for (number, _) in is_known.iter().enumerate().filter(|(_, is_known)| !**is_known) {
            left_out.add(ChatPartFault::ParentCircle, &nodes[number].id);
        }
    }

    /// Messages and all that follow them. Each message has one parent at most, so none comes twice.
    fn with_descendants(&self, mut waiting: Vec<usize>) -> Vec<usize> {
        let mut found = vec![];
        while let Some(number) = waiting.pop() {
            found.push(number);
            waiting.extend(&self.children[number]);
        }
        found
    }
}

/// The entries so far.
#[derive(Default)]
struct EntryTree {
    entries: Vec<FileEntry>,
}

impl EntryTree {
    /// Adds what a message says after an entry. Returns the entry that comes before what follows the message.
    fn add(
        &mut self,
        node: FileNode,
        parent: Option<usize>,
        created_ms: i64,
        left_out: &mut LeftOut,
    ) -> Option<usize> {
        let parent_at = parent.map_or(created_ms, |parent| self.entries[parent].at_ms);
        let at_ms = node.at_ms.unwrap_or(parent_at);
        match node.said {
            NodeContent::Entries(bodies) => {
                let mut last = parent;
                for body in bodies {
                    self.entries.push(FileEntry {
                        id: node.id.clone(),
                        parent: last,
                        at_ms,
                        shown: false,
                        body,
                    });
                    last = Some(self.entries.len() - 1);
                }
                last
            }
            NodeContent::Result(result) => {
                let before = parent.and_then(|parent| self.entries.get_mut(parent));
                if !before.is_some_and(|entry| answer(&mut entry.body, result)) {
                    left_out.add(ChatPartFault::ResultWithoutCall, &node.id);
                }
                parent
            }
        }
    }

    /// Shows the branch through an entry, down to the newest of its ends.
    fn show(&mut self, entry: Option<usize>) {
        let mut newest: HashMap<usize, usize> = HashMap::new();
        for (number, entry) in self.entries.iter().enumerate() {
            if let Some(parent) = entry.parent {
                newest.insert(parent, number);
            }
        }
        let mut end = entry.or(self.entries.len().checked_sub(1));
        while let Some(&next) = end.and_then(|end| newest.get(&end)) {
            end = Some(next);
        }
        while let Some(number) = end {
            self.entries[number].shown = true;
            end = self.entries[number].parent;
        }
    }
}

/// Gives a call its result, or a further part of it. Returns whether the entry is a call.
pub(crate) fn answer(body: &mut EntryBody, result: ResultView) -> bool {
    let EntryBody::Call(call) = body else {
        return false;
    };
    match &mut call.state {
        CallState::Answered { result: earlier, .. } => {
            earlier.content.extend(result.content);
            earlier.failed |= result.failed;
        }
        state => {
            *state = CallState::Answered {
                result,
                elapsed_ms: 0,
            }
        }
    }
    true
}
