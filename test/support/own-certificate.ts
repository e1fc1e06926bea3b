// A certificate for localhost that has signed itself, for services of tests that speak TLS. It is not a secret: nothing else
// trusts it.

/** Valid from 2020 to 2120. */
export const ownCertificate: { readonly key: string; readonly cert: string } = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgrmvsGRo1RiN/kY4n
oPWS4/+2/J2HrI8G48D4vSuLGvuhRANCAARN1pkyj3rOPk9a3bL1pVhzm9HtxhoJ
+DjURH/pUUxdhhFXdP5+xm8DmOjrFy84Pd5pvTfQeuURxRla4G7ciIls
-----END PRIVATE KEY-----
`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBZzCCAQ2gAwIBAgIBATAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAlsb2NhbGhv
c3QwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBQxEjAQBgNVBAMM
CWxvY2FsaG9zdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABE3WmTKPes4+T1rd
svWlWHOb0e3GGgn4ONREf+lRTF2GEVd0/n7GbwOY6OsXLzg93mm9N9B65RHFGVrg
btyIiWyjTjBMMBoGA1UdEQQTMBGCCWxvY2FsaG9zdIcEfwAAATAPBgNVHRMBAf8E
BTADAQH/MB0GA1UdDgQWBBSxhpmvhXlL8mi+SjnoTtwGugR6LTAKBggqhkjOPQQD
AgNIADBFAiBSm+oaLYW0ve2oM7uSVtlw+3B46opGcApgHDS/jswH8gIhANEQjQ0T
jAe4PA+ELv1hMvfOd9Fi6+IswhBmgPmSs8Qp
-----END CERTIFICATE-----
`,
}
