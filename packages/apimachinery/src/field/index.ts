export * from './error.ts';
export { Path } from './path.ts';
export { quote } from './quote.ts';
