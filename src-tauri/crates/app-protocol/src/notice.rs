//! What the operating system may say: of a question that waits its server and its kind, of a chat only that it ended.

use vestibule_protocol::{ChatId, QuestionId};

use super::{ChangeSubject, Question, QuestionBody};

/// A question, without what it says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoticeView {
    pub question: QuestionId,
    /// The user's name for the server that asks.
    pub server: String,
    /// Of which kind it is.
    pub kind: NoticeKind,
}

/// A chat whose last turn ended by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FinishedChat {
    pub chat: ChatId,
    /// False where a problem or a limit ended it.
    pub ended_well: bool,
}

/// What the title of the consent window says of a card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrontCard {
    pub notice: NoticeView,
    /// The tool it is about, as the server names it.
    pub tool: Option<String>,
}

impl From<&Question> for FrontCard {
    fn from(question: &Question) -> Self {
        let tool = match &question.about {
            QuestionBody::CallTool(call) => Some(call.tool.name.clone()),
            QuestionBody::AllowTool(tool) => Some(tool.name.clone()),
            QuestionBody::ToolChanged(change) => match &change.subject {
                ChangeSubject::Tool { name } => Some(name.clone()),
                ChangeSubject::NewTools { .. } | ChangeSubject::Instructions => None,
            },
            _ => None,
        };
        Self {
            notice: NoticeView::from(question),
            tool,
        }
    }
}

/// A kind of question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoticeKind {
    /// To start a program.
    Start,
    /// To connect to an address.
    Connect,
    SignIn,
    /// To call a tool, now or without asking.
    Tool,
    /// About a tool that changed.
    Change,
    Rules,
    /// To fill in a form.
    Form,
    /// To visit a page.
    Page,
    /// To use a model.
    Model,
    /// To know of folders.
    Folders,
    /// About a change the user began in the main window.
    Widening,
    Flood,
}

impl From<&Question> for NoticeView {
    fn from(question: &Question) -> Self {
        let kind = match question.about {
            QuestionBody::StartServer(_) => NoticeKind::Start,
            QuestionBody::ConnectServer(_) => NoticeKind::Connect,
            QuestionBody::LookUpIssuer(_) | QuestionBody::SignIn(_) => NoticeKind::SignIn,
            QuestionBody::CallTool(_) | QuestionBody::AllowTool(_) => NoticeKind::Tool,
            QuestionBody::ToolChanged(_) => NoticeKind::Change,
            QuestionBody::KeepRules(_) => NoticeKind::Rules,
            QuestionBody::FillForm(_) => NoticeKind::Form,
            QuestionBody::OpenPage(_) | QuestionBody::VisitPage(_) => NoticeKind::Page,
            QuestionBody::SamplePrompt(_) | QuestionBody::SampleReply(_) => NoticeKind::Model,
            QuestionBody::ShareFolders(_) => NoticeKind::Folders,
            QuestionBody::Widen(_) => NoticeKind::Widening,
            QuestionBody::Flood(_) => NoticeKind::Flood,
        };
        Self {
            question: question.id,
            server: question.server.name.clone(),
            kind,
        }
    }
}
