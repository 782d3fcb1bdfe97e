/**
 * How many times as long tests wait as on an ordinary machine: `COXSWAIN_TIME_FACTOR`, which is set where the processor is emulated.
 * 1 by default.
 */
export const timeFactor = Math.max(1, Number(process.env.COXSWAIN_TIME_FACTOR) || 1);
