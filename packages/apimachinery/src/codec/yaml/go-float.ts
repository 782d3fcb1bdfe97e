/** Formats a float as Go's `%g` does. It uses exponents earlier than JavaScript: `1e+06`. */
function formatGoFloat(value: number): string {
  if (Number.isNaN(value)) return '.nan';
  if (!Number.isFinite(value)) return value > 0 ? '.inf' : '-.inf';
  const [mantissa = '', exponentText = ''] = value.toExponential().split('e');
  const exponent = Number(exponentText);
  if (exponent >= -4 && exponent < 6) return String(value);
  return `${mantissa}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

/** Formats a JSON number as Go's YAML library does: integers of up to 64 bits in digits. */
export function formatYamlNumber(value: number): string {
  return Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 64 ? String(value) : formatGoFloat(value);
}

/** Formats with as few digits as distinguish it from other 32-bit floats. */
export function formatGoFloat32(value: number): string {
  for (let digits = 1; digits < 9; digits++) {
    const rounded = Number(value.toPrecision(digits));
    if (Math.fround(rounded) === Math.fround(value)) return formatGoFloat(rounded);
  }
  return formatGoFloat(Number(value.toPrecision(9)));
}
