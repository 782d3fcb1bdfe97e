export { KeyedTurns } from './keyed-turns.ts';
export { Limiter } from './limiter.ts';
export { ProgramError, runProgram, runWithInput } from './run-program.ts';
