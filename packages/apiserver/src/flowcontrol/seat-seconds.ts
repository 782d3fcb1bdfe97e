/**
 * Work: seats times the time they are taken, in whole units of 10 nanoseconds of one seat, as upstream counts it. Differs
 * from upstream: what would overflow there after years, and is wound back, loses a few of the last digits here.
 */
export type SeatSeconds = number;

const perSeatSecond = 1e8;
const perSeatMs = perSeatSecond / 1000;

export const seatsTimesMs = (seats: number, ms: number): SeatSeconds => Math.round(seats * ms * perSeatMs);

/** How long the work takes on so many seats. */
export const msPerSeat = (work: SeatSeconds, seats: number): number => work / seats / perSeatMs;

export const toSeatSeconds = (work: SeatSeconds): number => work / perSeatSecond;

/** `1.50000000ss`. */
export function printSeatSeconds(work: SeatSeconds): string {
  const whole = Math.floor(work / perSeatSecond);
  return `${whole}.${String(Math.round(work - whole * perSeatSecond)).padStart(8, '0')}ss`;
}
