export { ProgramError, runProgram, runWithInput } from './run-program.ts';
