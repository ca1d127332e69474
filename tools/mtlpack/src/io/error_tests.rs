use super::*;

#[test]
fn messages_are_lower_case_without_full_stop() {
    let cause = io::Error::other("The disk is tired. (os error 5)");
    let error = IoError::write("a.metallib", cause);
    assert_eq!(error.to_string(), "cannot write `a.metallib`: the disk is tired");
}

#[test]
fn closed_pipes_are_typed() {
    let error = IoError::write("<stdout>", io::ErrorKind::BrokenPipe.into());
    assert!(error.is_broken_pipe());
    assert!(IoError::from(io::Error::from(error)).is_broken_pipe());
    assert!(IoError::from(io::Error::from(io::ErrorKind::BrokenPipe)).is_broken_pipe());
    assert!(!IoError::Terminal.is_broken_pipe());
}

#[test]
fn errors_survive_a_trip_through_io() {
    let carried = io::Error::from(IoError::NotEmpty { name: "out".into() });
    assert_eq!(carried.kind(), io::ErrorKind::DirectoryNotEmpty);
    assert!(matches!(IoError::from(carried), IoError::NotEmpty { name } if name == "out"));
}
