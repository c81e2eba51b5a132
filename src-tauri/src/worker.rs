//! The worker: a program beside the application for work that a file or a server could make endless. In a process for
//! each kind of work it checks values against the schemas of servers, draws pictures smaller and reads the text of PDFs.

use std::io::{self, Write as _};
use std::process::ExitCode;

fn main() -> ExitCode {
    let role = std::env::args_os().nth(1);
    match role.as_ref().and_then(|role| role.to_str()) {
        Some(vestibule_schema::ROLE) => vestibule_schema::serve(),
        Some(vestibule_pictures::ROLE) => vestibule_pictures::serve(),
        Some(vestibule_pdf_text::ROLE) => vestibule_pdf_text::serve(),
        _ => {
            let _ = writeln!(
                io::stderr(),
                "this program is started by the app; it does nothing by itself"
            );
            ExitCode::from(2)
        }
    }
}
