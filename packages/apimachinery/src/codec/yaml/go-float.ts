/** As Go prints a float with `%g`: with an exponent earlier than JavaScript would, `1e+06`. */
function formatGoFloat(value: number): string {
  if (Number.isNaN(value)) return '.nan';
  if (!Number.isFinite(value)) return value > 0 ? '.inf' : '-.inf';
  const [mantissa = '', exponentText = ''] = value.toExponential().split('e');
  const exponent = Number(exponentText);
  if (exponent >= -4 && exponent < 6) return String(value);
  return `${mantissa}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

/** As Go's YAML library prints a JSON number: a whole one in digits, as far as 64 bits go. */
export function formatYamlNumber(value: number): string {
  return Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 64 ? String(value) : formatGoFloat(value);
}

/** In as few digits as tell it apart from other floats of 32 bits. */
export function formatGoFloat32(value: number): string {
  for (let digits = 1; digits < 9; digits++) {
    const rounded = Number(value.toPrecision(digits));
    if (Math.fround(rounded) === Math.fround(value)) return formatGoFloat(rounded);
  }
  return formatGoFloat(Number(value.toPrecision(9)));
}
