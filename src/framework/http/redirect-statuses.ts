// The statuses with which an answer sends its client elsewhere (RFC 9110, section 15.4).

/** In ascending order. 300 and 304 are not among them: they send nobody anywhere. */
export const redirectStatuses: readonly number[] = [301, 302, 303, 307, 308]
