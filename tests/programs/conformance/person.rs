//! Someone who says yes to everything a scenario is about: connecting, signing in, calling, filling in. Nobody's folders are shared
//! and no model is asked, because no scenario is about that.

use serde_json::{Map, Value};
use vestibule_consent::{Answer, Form, Question, QuestionBody};
use vestibule_policy::Scope;
use vestibule_tests::yes;

use super::values::value_of;

/// What they say to a card.
pub(crate) fn answer(question: &Question) -> Answer {
    match &question.about {
        QuestionBody::ConnectServer(_)
        | QuestionBody::LookUpIssuer(_)
        | QuestionBody::SignIn(_)
        | QuestionBody::CallTool(_)
        | QuestionBody::ToolChanged(_) => yes(Scope::Once),
        QuestionBody::FillForm(form) => Answer::Submit {
            content: filled_in(form),
            not_secret: vec![],
        },
        _ => Answer::Refuse { reason: None },
    }
}

/// Every field, with what the card shows in it.
fn filled_in(form: &Form) -> Map<String, Value> {
    let fields = form.fields.iter();
    fields
        .map(|field| (field.name.clone(), value_of(&field.kind)))
        .collect()
}
