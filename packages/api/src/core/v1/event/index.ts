export { eventStrategy } from './strategy.ts';
