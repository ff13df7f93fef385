// Validation against the OpenAPI document. Only this folder depends on the library.
export { validateRequest } from './request.ts';
export { InvalidResponseError, validateItem, validateResponse } from './response.ts';
