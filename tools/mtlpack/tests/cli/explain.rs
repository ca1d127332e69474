//! `mtlpack explain`.

use insta_cmd::assert_cmd_snapshot;

use crate::fixture::Folder;

#[test]
fn a_message_is_found_by_its_words() {
    let folder = Folder::new();
    let message = "error: deployment target (0x00020008) not supported";
    assert_cmd_snapshot!(folder.mtlpack(&["explain", message]));
    let json = ["explain", "Invalid UUID", "--format", "json"];
    assert_cmd_snapshot!(folder.mtlpack(&json));
}

#[test]
fn an_unknown_message_is_a_no() {
    let folder = Folder::new();
    assert_cmd_snapshot!(folder.mtlpack(&["explain", "segmentation fault"]));
}

/// The page, made of the table.
fn page() -> String {
    let mut page = String::from(
        "# Messages\n\nWhat Metal and its tools say when a library does not load, and what is behind it. \
         `mtlpack explain \"MESSAGE\"`\nfinds a row by the words of a message. The wording is that of public \
         reports; `…` stands for what differs.\nThis page is made of the table in the tool, which a test keeps so.\n",
    );
    for found in mtlpack::MESSAGES {
        page += &format!(
            "\n## {}\n\n* **From**: {}\n* **Cause**: {}\n* **Field**: {}\n* **Command**: `{}`\n",
            found.message, found.from, found.cause, found.field, found.command
        );
    }
    page
}

#[test]
fn the_page_is_made_of_the_table() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/messages.md");
    if std::env::var_os("MTLPACK_WRITE_PAGES").is_some() {
        std::fs::write(path, page()).unwrap();
    }
    let found = std::fs::read_to_string(path).unwrap();
    assert!(found == page(), "docs/messages.md differs; MTLPACK_WRITE_PAGES=1 writes it anew");
}

/// Every command that the table names is one, with its options.
#[test]
fn commands_of_the_table_are_commands() {
    let command = mtlpack::cli::command();
    for message in mtlpack::MESSAGES {
        let words: Vec<&str> = message.command.split(' ').collect();
        let found = command.find_subcommand(words[1]).expect(message.command);
        for option in words.iter().filter_map(|word| word.strip_prefix("--")) {
            let mut known = found.get_arguments().filter_map(clap::Arg::get_long);
            assert!(known.any(|known| known == option), "{}", message.command);
        }
    }
}
