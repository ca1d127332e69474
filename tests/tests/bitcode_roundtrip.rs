//! Every module of every real library, decoded and encoded again.

use air_bitcode::ids::{block, module};
use air_bitcode::{Block, Item, Module, WriteOptions};
use mtlpack_tests::modules;

/// Takes every position out of a decoded stream.
fn forget_positions(block: &mut Block<'_>) {
    let id = block.id();
    for item in block.items_mut().into_iter().flatten() {
        match item {
            Item::Define(_) => {}
            Item::Block(inner) => forget_positions(inner),
            Item::Record(record) => {
                let mut values = record.values().unwrap();
                match (id, record.code()) {
                    (block::MODULE, module::VSTOFFSET) | (block::METADATA, 38) => {
                        values.operands.fill(0);
                    }
                    (block::METADATA, 39) => values.operands.clear(),
                    (block::VALUE_SYMTAB, 3) => values.operands[1] = 0,
                    _ => continue,
                }
                record.set(values);
            }
        }
    }
}

#[test]
fn every_module_is_encoded_as_it_was() {
    let mut count = 0;
    modules("bitcode round trip", |name, bytes| {
        count += 1;
        let fail = |error| -> ! { panic!("{name}: {error}") };
        let mut module = Module::parse(bytes).unwrap_or_else(|error| fail(error));
        // Nothing decoded but the module block itself; with and without new positions.
        for positions in [false, true] {
            let options = WriteOptions { positions, records: positions };
            let written = module.to_bytes(options).unwrap_or_else(|error| fail(error));
            assert!(written == bytes, "{name}: differs, positions {positions}");
        }
        module.open_all().unwrap_or_else(|error| fail(error));
        let copied = module.to_bytes(WriteOptions::default()).unwrap_or_else(|error| fail(error));
        assert!(copied == bytes, "{name}: differs when all is decoded");
        let mut stream = module.stream().clone();
        stream.blocks.iter_mut().for_each(forget_positions);
        let options = WriteOptions { positions: true, records: true };
        let mut written = Vec::new();
        let envelope = module.envelope();
        envelope
            .write(&mut written, |bytes| stream.write(bytes, options))
            .unwrap_or_else(|e| fail(e));
        assert!(written == bytes, "{name}: differs with all positions forgotten");
    });
    println!("{count} modules");
}
