//! The guard: a small program beside the application that ends the servers it started, whatever happens to it. It
//! is a binary of its own so that it stays a few megabytes and loads no windows. In processes of their own, the same
//! program checks values against the schemas of servers, draws pictures smaller and reads the text of PDFs.

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1).peekable();
    if args.next_if(|role| role == vestibule_schema::ROLE).is_some() {
        return vestibule_schema::serve();
    }
    if args.next_if(|role| role == vestibule_pictures::ROLE).is_some() {
        return vestibule_pictures::serve();
    }
    if args.next_if(|role| role == vestibule_pdf_text::ROLE).is_some() {
        return vestibule_pdf_text::serve();
    }
    vestibule_transport::guard::main(args)
}
