/**
 * Work: seats times time, in integral units of 10 nanoseconds of one seat, as upstream. Differs from upstream: there, an integer
 * that overflows after years is reset; here, such large numbers lose a few low digits.
 */
export type SeatSeconds = number;

const perSeatSecond = 1e8;
const perSeatMs = perSeatSecond / 1000;

export const seatsTimesMs = (seats: number, ms: number): SeatSeconds => Math.round(seats * ms * perSeatMs);

/** Returns the milliseconds that the work takes on the given number of seats. */
export const msPerSeat = (work: SeatSeconds, seats: number): number => work / seats / perSeatMs;

export const toSeatSeconds = (work: SeatSeconds): number => work / perSeatSecond;

/** Formats work as upstream: `1.50000000ss`. */
export function printSeatSeconds(work: SeatSeconds): string {
  const whole = Math.floor(work / perSeatSecond);
  return `${whole}.${String(Math.round(work - whole * perSeatSecond)).padStart(8, '0')}ss`;
}
