use super::*;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("a workspace")
}

#[test]
fn inputs_come_again() {
    let corpus = Corpus::read(root()).expect("readable");
    let inputs = || (0..40).map(|n| corpus.input(7, n));
    assert!(inputs().eq(inputs()));
    for (reader, ..) in READERS {
        assert!(inputs().any(|input| input.reader == reader), "{reader:?}");
    }
}

#[test]
fn real_files_are_accepted_and_wrong_ones_refused() {
    let corpus = Corpus::read(root()).expect("readable");
    let readers = Readers::new(root(), &corpus).expect("readable");
    for ((reader, ..), files) in READERS.into_iter().zip(&corpus.0) {
        let smallest = files.iter().filter(|(file, text)| match reader {
            Reader::Code => file.contains("_b1") || file == "registry.rs",
            // Constants in files of their own are no specs.
            Reader::Spec => text.contains("\"grain\""),
            _ => true,
        });
        let (file, text) = smallest.min_by_key(|(_, text)| text.len()).expect("one");
        let read = |text: String| readers.read(&Input { reader, file, text });
        read(text.clone()).expect("as it is");
        read(text.clone() + "\n{% [ (").expect_err(file);
    }
}
