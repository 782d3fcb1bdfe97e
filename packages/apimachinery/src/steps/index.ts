export { completed, itemsPerStep, type Steps } from './steps.ts';
