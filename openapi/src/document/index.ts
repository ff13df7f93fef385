// The one reader of the document: what there is, where references lead, and a schema in words. It needs no Node, since pages use it.
export { describeParameter } from './describe-parameter.ts';
export { describeConstraints, describeExpected, describeLimits, describeType, withArticle } from './describe-type.ts';
export * from './operations.ts';
export * from './permissions.ts';
export * from './resolve.ts';
export * from './schemas.ts';
export * from './types.ts';
