import type { Descriptions } from './descriptions.ts';

export declare const columnDescriptions: Descriptions;
