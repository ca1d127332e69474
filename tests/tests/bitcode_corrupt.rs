//! Damaged and hostile bitstreams: clear errors, bounded memory, no panic.

use air_bitcode::bits::BitWriter;
use air_bitcode::{Item, MAX_DEPTH, Module, Rename, Stream, WriteOptions};
use mtlpack_tests::bitcode::{KERNEL, old_module, small_module};
use mtlpack_tests::bitcode_laws;

/// A bitstream of one block (id 8, width 3) whose body `write` makes.
fn block(write: impl FnOnce(&mut BitWriter<'_>)) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = BitWriter::new(&mut bytes);
    writer.aligned_bytes(b"BC\xc0\xde");
    writer.fixed(1, 2);
    writer.vbr(8, 8);
    writer.vbr(3, 4);
    writer.align();
    writer.fixed(0, 32);
    let start = writer.position();
    write(&mut writer);
    writer.align();
    let words = (writer.position() - start) / 32;
    writer.patch(start - 32, words, 32);
    bytes
}

/// Decodes everything, and reads every value.
fn decode(bytes: &[u8]) -> Result<(), air_bitcode::Error> {
    let mut stream = Stream::parse(bytes, 0)?;
    stream.open_all()?;
    stream.write(&mut Vec::new(), WriteOptions { positions: false, records: true })
}

fn message(bytes: &[u8]) -> String {
    decode(bytes).unwrap_err().to_string()
}

const END: u64 = 0;
const ENTER: u64 = 1;
const DEFINE: u64 = 2;
const RECORD: u64 = 3;

#[test]
fn corrupt_streams_are_named() {
    let good = block(|w| w.fixed(END, 3));
    assert_eq!(decode(&good), Ok(()));
    assert_eq!(
        message(b"MTLB"),
        "begins with [4d, 54, 4c, 42], expected LLVM bitcode (BC C0 DE, or the wrapper DE C0 17 0B) (bit 0)"
    );
    assert_eq!(message(&good[..10]), "bitcode of 10 bytes, expected a multiple of 4 (bit 0)");
    assert_eq!(message(&good[..12]), "block length is 4 bytes, 0 are left (bit 64, MODULE)");
    let mut junk = good.clone();
    junk.extend([0; 4]);
    assert_eq!(
        message(&junk),
        "abbreviation id 0 between the blocks of the stream, expected a block (id 1) (bit 128)"
    );
    let mut long = good.clone();
    long[8] = 9;
    assert_eq!(message(&long), "block length is 36 bytes, 4 are left (bit 64, MODULE)");
    let early = block(|w| {
        w.fixed(END, 3);
        w.align();
        w.fixed(0, 32);
    });
    assert_eq!(
        message(&early),
        "block ends 4 bytes before the end that its length word gives (bit 128, MODULE > record 0)"
    );
    let padded = block(|w| w.fixed(0b1000, 32));
    assert_eq!(
        message(&padded),
        "padding to the next 32-bit border is not zero (bit 99, MODULE > record 0)"
    );
    let endless = block(|w| {
        w.fixed(DEFINE, 3);
        w.vbr(1 << 40, 5);
    });
    assert_eq!(
        message(&endless),
        "1099511627776 abbreviation operands, at most 4096 are decoded (bit 99, MODULE > record 0)"
    );
    let cut = block(|w| {
        w.fixed(DEFINE, 3);
        w.vbr(1000, 5);
    });
    assert_eq!(
        message(&cut),
        "encoding of an abbreviation needs 3 bits, 1 are left (bit 127, MODULE > record 0)"
    );
}

#[test]
fn corrupt_records_are_named() {
    let unknown = block(|w| w.fixed(5, 3));
    assert_eq!(
        message(&unknown),
        "record uses abbreviation 5, the last one defined is 3 (bit 99, MODULE > record 0)"
    );
    let overflow = block(|w| {
        w.fixed(RECORD, 3);
        w.vbr(1, 6);
        w.vbr(1, 6);
        (0..13).for_each(|_| w.fixed(0b111_111, 6));
        w.fixed(0, 6);
        w.fixed(END, 3);
    });
    assert_eq!(
        message(&overflow),
        "operand is a variable-width integer of more than 64 bits (bit 111, MODULE)"
    );
    let needless = block(|w| {
        w.fixed(RECORD, 3);
        w.vbr(1, 6);
        w.vbr(1, 6);
        w.fixed(0b100_001, 6);
        w.fixed(0, 6);
        w.fixed(END, 3);
    });
    assert_eq!(
        message(&needless),
        "operand is a variable-width integer with a needless last chunk of zero (bit 111, MODULE)"
    );
    let many = block(|w| {
        w.fixed(RECORD, 3);
        w.vbr(1, 6);
        w.vbr(1 << 50, 6);
    });
    assert!(message(&many).starts_with("operands needs 6 bits, "), "{}", message(&many));
    let blob = block(|w| {
        w.fixed(DEFINE, 3);
        w.vbr(2, 5);
        w.fixed(1, 1);
        w.vbr(1, 8);
        w.fixed(5 << 1, 4);
        w.fixed(4, 3);
        w.vbr(1 << 30, 6);
    });
    assert_eq!(
        message(&blob),
        "blob needs 8589934592 bits, 0 are left (bit 192, MODULE > record 0)"
    );
}

/// Ten thousand blocks in one another, and the deepest nesting that is decoded.
#[test]
fn deep_nesting_is_an_error() {
    fn nested(depth: usize) -> Vec<u8> {
        let mut body = vec![0; 4];
        for _ in 1..depth {
            let mut outer = Vec::new();
            let mut writer = BitWriter::new(&mut outer);
            writer.fixed(ENTER, 3);
            writer.vbr(12, 8);
            writer.vbr(3, 4);
            writer.align();
            writer.fixed(body.len() as u64 / 4, 32);
            writer.aligned_bytes(&body);
            writer.fixed(END, 3);
            writer.align();
            body = outer;
        }
        block(|w| w.aligned_bytes(&body))
    }
    assert_eq!(decode(&nested(MAX_DEPTH)), Ok(()));
    let error = decode(&nested(10_000)).unwrap_err();
    assert!(error.to_string().starts_with("blocks are nested more than 64 deep (bit "), "{error}");
    assert_eq!(error.place().matches("FUNCTION 0").count(), MAX_DEPTH);
    // Undecoded, they are bytes as any others.
    let bytes = nested(10_000);
    let mut written = Vec::new();
    Stream::parse(&bytes, 0).unwrap().write(&mut written, WriteOptions::default()).unwrap();
    assert!(written == bytes);
}

#[test]
fn the_small_module_is_what_it_says() {
    let bytes = small_module();
    let module = Module::parse(&bytes).unwrap();
    let names: Vec<_> =
        module.globals().unwrap().iter().map(|g| g.name_text().into_owned()).collect();
    assert_eq!(names, [KERNEL, "air.fence"]);
    let renamed = module.rename(&[Rename::new(KERNEL, "größer ::")]).unwrap();
    assert!(renamed.report().source_file_name);
    assert_eq!((renamed.report().alias_scopes, renamed.report().string_growth), (1, 11));
    let there = renamed.to_bytes().unwrap();
    let module = Module::parse(&there).unwrap();
    assert_eq!(module.source_file_name().unwrap().unwrap(), "größer ::");
    let back = module.rename(&[Rename::new("größer ::", KERNEL)]).unwrap().to_bytes().unwrap();
    assert_ne!(back, bytes);
    let trimmed = Module::parse(&back).unwrap().trim_strings().unwrap();
    assert_eq!((trimmed.removed(), trimmed.to_bytes().unwrap()), (11, bytes));
}

#[test]
fn the_old_module_is_renamed_there_and_back() {
    let bytes = old_module();
    let names = |bytes: &[u8]| {
        let globals = Module::parse(bytes).unwrap().globals().unwrap();
        globals.iter().map(|global| global.name_text().into_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names(&bytes), [KERNEL, "air.fence"]);
    for name in ["b", "größer ::"] {
        let renamed = Module::parse(&bytes).unwrap().rename(&[Rename::new(KERNEL, name)]).unwrap();
        assert_eq!((renamed.report().functions, renamed.report().alias_scopes), (1, 1));
        let there = renamed.to_bytes().unwrap();
        assert_eq!(names(&there), [name, "air.fence"]);
        let back = Module::parse(&there).unwrap().rename(&[Rename::new(name, KERNEL)]).unwrap();
        assert_eq!(back.to_bytes().unwrap(), bytes);
    }
}

#[test]
fn every_truncation_and_byte_change_is_handled() {
    [small_module(), old_module()].iter().for_each(|bytes| every_change(bytes));
}

fn every_change(bytes: &[u8]) {
    (0..bytes.len()).for_each(|end| bitcode_laws::hold(&bytes[..end]));
    let mut changed = bytes.to_vec();
    for index in 0..bytes.len() {
        for value in 0..=255 {
            changed[index] = value;
            bitcode_laws::hold(&changed);
        }
        changed[index] = bytes[index];
    }
}

/// Real modules with a few bytes changed at random, the same in every run.
#[test]
fn changed_real_modules_are_handled() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state >> 16).unwrap() % below
    };
    let mut count = 0;
    mtlpack_tests::modules("changed modules", |_, bytes| {
        count += 1;
        if count % 40 != 0 || bytes.len() > 20_000 {
            return;
        }
        for _ in 0..40 {
            let mut changed = bytes.to_vec();
            for _ in 0..=random(4) {
                let index = random(changed.len());
                match random(3) {
                    0 => changed[index] ^= 1 << random(8),
                    1 => changed[index] = [0, 0xff, 0x7f, 0x80][random(4)],
                    _ => changed
                        .copy_within(index..(index + 4).min(bytes.len()), random(bytes.len() - 4)),
                }
            }
            bitcode_laws::hold(&changed);
        }
    });
}

/// Memory stays a small multiple of the input however dense it is.
#[test]
fn dense_input_is_bounded() {
    // A megabyte of records that take three bits each.
    let dense = block(|w| {
        w.fixed(DEFINE, 3);
        w.vbr(1, 5);
        w.fixed(1, 1);
        w.vbr(1, 8);
        (0..2_800_000).for_each(|_| w.fixed(4, 3));
    });
    let error = message(&dense);
    assert!(error.contains("items in a block of so many bytes, at most 1050"), "{error}");
    // Empty blocks, as many as there is room for.
    let blocks = block(|w| {
        for _ in 0..80_000 {
            w.fixed(ENTER, 3);
            w.vbr(12, 8);
            w.vbr(3, 4);
            w.align();
            w.fixed(1, 32);
            w.fixed(0, 32);
        }
        w.fixed(END, 3);
    });
    assert_eq!(decode(&blocks), Ok(()));
    let mut stream = Stream::parse(&blocks, 0).unwrap();
    stream.open_all().unwrap();
    let inner = stream.blocks[0].items().unwrap();
    let empty =
        |item: &Item<'_>| matches!(item, Item::Block(b) if b.items().is_some_and(<[_]>::is_empty));
    assert!(inner.iter().all(empty) && inner.len() == 80_000);
    if let Some(peak) = peak_memory() {
        println!("peak memory {} MB", peak / 1024);
        assert!(peak < 250 * 1024, "{peak} KiB");
    }
}

/// Peak memory of this process in KiB, where the system tells.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}
