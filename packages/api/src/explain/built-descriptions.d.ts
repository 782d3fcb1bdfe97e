import type { Descriptions } from './descriptions.ts';

export declare const descriptions: Descriptions;
