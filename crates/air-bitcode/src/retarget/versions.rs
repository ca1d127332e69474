//! The numbers of versions: which constants and values hold them, and which are missing.

use crate::constants::signed;
use crate::entry::AirMetadata;
use crate::error::{Error, ErrorKind, Result, Within};
use crate::ids::{constants as constant_codes, metadata as codes};
use crate::metadata::Operand;
use crate::module::Module;
use crate::record::Record;
use crate::renumber::{self, Maps, New, Numbers, Offer, Stay, Tables, apply as renumber_all};
use crate::retarget::RetargetReport;
use crate::retarget::insert;

/// The list that names the AIR version.
pub(super) const AIR: &str = "air.version";
/// The list that names the language and its version.
pub(super) const LANGUAGE: &str = "air.language_version";

/// Numbers of a version: major, minor, patch.
const PARTS: usize = 3;

/// A version that is to be another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Change {
    pub(super) list: &'static str,
    /// The node that the list names.
    node: u64,
    /// Which of its operands is the first number.
    first: usize,
    numbers: [i64; PARTS],
}

impl Change {
    /// None if the version is what it is to be.
    pub(super) fn of(
        metadata: &AirMetadata<'_>,
        list: &'static str,
        node: u64,
        [major, minor]: [u32; 2],
    ) -> Result<Option<Self>> {
        let first = usize::from(list == LANGUAGE);
        let operands = metadata.metadata().operands(node)?.unwrap_or_default();
        let numbers: Vec<i64> = operands
            .iter()
            .skip(first)
            .map_while(|operand| operand.value())
            .map_while(|value| metadata.integers.get(value))
            .collect();
        let name = operands.first().copied().and_then(Operand::string);
        let [old_major, old_minor, _] = numbers[..] else {
            return Err(Self::other_form(list, node));
        };
        if operands.len() != first + PARTS || (first == 1) != name.is_some() {
            return Err(Self::other_form(list, node));
        }
        let numbers = [major.into(), minor.into(), 0];
        let is_same = [old_major, old_minor] == numbers[..2];
        Ok((!is_same).then_some(Self { list, node, first, numbers }))
    }

    fn other_form(list: &str, node: u64) -> Error {
        let what = format!("`{list}` names node {node}, which is not three integers");
        Error::nowhere(ErrorKind::Value { what })
    }
}

/// Points the nodes of versions at other numbers, in a decoded module.
pub(super) fn apply(
    module: &mut Module<'_>,
    changes: &[Change],
    report: &mut RetargetReport,
) -> Result<()> {
    let numbers = Numbers::of(module)?;
    let unshared = only_listed(module, &numbers, changes)?;
    let mut plan = Plan::new(&numbers);
    let nodes: Vec<Vec<u64>> =
        changes.iter().map(|change| plan.node(change)).collect::<Result<_>>()?;
    let Plan { constants, values, places, .. } = plan;
    report.constants = constants.len();
    report.metadata = values.len() + count_shared(&unshared);
    let made = Made { constants, values, places, nodes, unshared };
    let maps = made.maps(&numbers);
    let Numbers { tables, .. } = numbers;
    made.write(module, &tables, &maps, changes)
}

/// Of each changed node, whether nothing but its list uses it.
fn only_listed(
    module: &Module<'_>,
    numbers: &Numbers<'_, '_>,
    changes: &[Change],
) -> Result<Vec<bool>> {
    let is_changed = |name: &[u8]| changes.iter().any(|change| change.list.as_bytes() == name);
    let stay = |name: &[u8], _: &[usize]| if is_changed(name) { Stay::Never } else { Stay::Always };
    let offer = Offer { global: &|_| false, tables: false, node: Some(&stay) };
    let maps = renumber::search(module, numbers, offer)?.maps;
    Ok(changes.iter().map(|change| maps.metadata.get(change.node) == New::Gone).collect())
}

/// Where what is added stands: behind the last constant and the last value of its kind.
#[derive(Clone, Copy, Debug, Default)]
struct Places {
    /// The number that the first new constant gets, and the type of all of them.
    constant: usize,
    of_type: u32,
    /// The number that the first new value gets.
    value: usize,
}

/// What holds the numbers of versions.
struct Plan<'p, 'm, 'a> {
    numbers: &'p Numbers<'m, 'a>,
    constants: Vec<i64>,
    /// New values, by the numbers of their constants when all constants are there.
    values: Vec<u64>,
    places: Places,
}

impl<'p, 'm, 'a> Plan<'p, 'm, 'a> {
    fn new(numbers: &'p Numbers<'m, 'a>) -> Self {
        let is_value =
            |entry: &Option<&Record<'_>>| entry.is_some_and(|record| record.code() == codes::VALUE);
        let value = numbers.metadata.iter().rposition(is_value);
        let value = value.map_or(numbers.metadata.len(), |last| last + 1);
        let places = Places { value, ..Places::default() };
        Self { numbers, constants: Vec::new(), values: Vec::new(), places }
    }

    /// The operands of a version's node, in the numbers that hold afterwards.
    fn node(&mut self, change: &Change) -> Result<Vec<u64>> {
        let entry = self.numbers.metadata.get(crate::bits::size(change.node)).copied().flatten();
        let Some(record) = entry else { return Err(Change::other_form(change.list, change.node)) };
        let mut operands = record.values()?.operands;
        let is_old = record.code() == codes::OLD_NODE;
        for (number, at) in change.numbers.iter().zip(change.first..) {
            let at = if is_old { 2 * at } else { at };
            let field = operands.get_mut(at..).unwrap_or_default();
            match field {
                // Old nodes: type and number of a constant.
                [of_type, value, ..] if is_old => {
                    self.of_type(*of_type)?;
                    *value = self.constant(*number)?;
                }
                [id, ..] if !is_old => *id = self.value(*id, *number)? + 1,
                _ => return Err(Change::other_form(change.list, change.node)),
            }
        }
        Ok(operands)
    }

    /// Notes the type of all constants.
    fn of_type(&mut self, of_type: u64) -> Result<()> {
        let types = &self.numbers.constants.types;
        let of_type = u32::try_from(of_type).unwrap_or(u32::MAX);
        let last = types.iter().rposition(|&other| other == of_type).map(|last| last + 1);
        let place = last.filter(|_| self.places.constant == 0 || self.places.of_type == of_type);
        let Some(place) = place else {
            let what = "versions whose numbers have different types, expected one".to_owned();
            return Err(Error::nowhere(ErrorKind::Value { what }));
        };
        self.places.constant = self.numbers.globals.len() + place;
        self.places.of_type = of_type;
        Ok(())
    }

    /// The constant with this number; one is added if there is none.
    fn constant(&mut self, number: i64) -> Result<u64> {
        let constants = &self.numbers.constants;
        for (index, record) in constants.records.iter().enumerate() {
            if constants.types.get(index) == Some(&self.places.of_type)
                && integer(record)? == Some(number)
            {
                // It stands in front of what is added, and so keeps its number.
                return Ok((self.numbers.globals.len() + index) as u64);
            }
        }
        let known = self.constants.iter().position(|&other| other == number);
        let index = known.unwrap_or_else(|| {
            self.constants.push(number);
            self.constants.len() - 1
        });
        Ok((self.places.constant + index) as u64)
    }

    /// The value of a constant with this number, of the type of the one that is used now.
    fn value(&mut self, used: u64, number: i64) -> Result<u64> {
        let metadata = &self.numbers.metadata;
        let used = used.checked_sub(1).and_then(|id| metadata.get(crate::bits::size(id)));
        let Some(Some(used)) = used else {
            let what = "a version's number that is no value of the module".to_owned();
            return Err(Error::nowhere(ErrorKind::Value { what }));
        };
        let [of_type, _] = used.first::<2>()?.0;
        self.of_type(of_type)?;
        let constant = self.constant(number)?;
        for (id, entry) in self.numbers.metadata.iter().enumerate() {
            let Some(record) = entry.filter(|record| record.code() == codes::VALUE) else {
                continue;
            };
            // Constants in front of the new ones keep their numbers.
            let is_old = constant < self.places.constant as u64;
            if is_old && record.first::<2>()?.0 == [of_type, constant] {
                return Ok(id as u64);
            }
        }
        let known = self.values.iter().position(|&other| other == constant);
        let index = known.unwrap_or_else(|| {
            self.values.push(constant);
            self.values.len() - 1
        });
        Ok((self.places.value + index) as u64)
    }
}

/// The integer of a constant, if it is one.
fn integer(record: &Record<'_>) -> Result<Option<i64>> {
    Ok(match record.code() {
        constant_codes::NULL => Some(0),
        constant_codes::INTEGER => Some(signed(record.first::<1>()?.0[0])),
        _ => None,
    })
}

/// What is added, and the operands of the nodes.
struct Made {
    constants: Vec<i64>,
    values: Vec<u64>,
    places: Places,
    nodes: Vec<Vec<u64>>,
    /// Of each node, whether nothing but its list uses it.
    unshared: Vec<bool>,
}

fn count_shared(unshared: &[bool]) -> usize {
    unshared.iter().filter(|unshared| !**unshared).count()
}

impl Made {
    /// The numbers of all that is there.
    fn maps(&self, numbers: &Numbers<'_, '_>) -> Maps {
        let mut maps = Maps::identity(numbers);
        let count = |added: usize| crate::bits::low_word(added as u64);
        maps.values.insert(self.places.constant, count(self.constants.len()));
        maps.metadata.insert(self.places.value, count(self.values.len()));
        maps.metadata.insert(numbers.metadata.len(), count(count_shared(&self.unshared)));
        maps
    }

    /// Renumbers the module, puts in what is new, and points the nodes or lists at it.
    fn write(
        &self,
        module: &mut Module<'_>,
        tables: &Tables,
        maps: &Maps,
        changes: &[Change],
    ) -> Result<()> {
        let Self { constants, values, places, nodes, unshared } = self;
        if !constants.is_empty() || !values.is_empty() || count_shared(unshared) > 0 {
            renumber_all(module, tables, maps)?;
            let index = places.constant - tables.callees.len();
            insert::integers(module, index, constants).within(|| "CONSTANTS")?;
            insert::values(module, places.value, places.of_type.into(), values)
                .within(|| "METADATA")?;
        }
        for ((change, operands), unshared) in changes.iter().zip(nodes).zip(unshared) {
            let New::At(node) = maps.metadata.get(change.node) else { continue };
            match unshared {
                true => insert::set_node(module, node, operands),
                false => insert::replace_in_list(module, change.list, node, operands),
            }
            .within(|| "METADATA")?;
        }
        Ok(())
    }
}
