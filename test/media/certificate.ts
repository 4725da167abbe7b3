// A certificate signed by itself and its key, for servers that tests start on this machine. Nothing else trusts it.

/** For images.example, other.example and the names below pictures.example. */
export const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBhjCCASygAwIBAgIBATAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAl0ZXN0IG9u
bHkwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBQxEjAQBgNVBAMM
CXRlc3Qgb25seTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABMVmsT+oIueWgmVV
CK6rQ6l6zKunwl+Pdv6gwu/4pXtmHweATkFSzP5ZiU+Kq2Xk7g1z+c611OAkBg/b
JAasqvWjbTBrMAwGA1UdEwQFMAMBAf8wPAYDVR0RBDUwM4IOaW1hZ2VzLmV4YW1w
bGWCDW90aGVyLmV4YW1wbGWCEioucGljdHVyZXMuZXhhbXBsZTAdBgNVHQ4EFgQU
M8ZcCc4/lxvowLpVg9Ft2q7KW5EwCgYIKoZIzj0EAwIDSAAwRQIgNU239dSYNGfE
9/Lk9vAuo6OYn4urzSAiXa7j6Mvu9+wCIQCwWMFMva3zzDKZS5DlU8IViJZw4VrA
pmfCTCFBpRlSIg==
-----END CERTIFICATE-----`

export const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgxKGWtp5dj0ildM4K
gIE7BAB8tMHCHOSCsI3di1IMFtihRANCAATFZrE/qCLnloJlVQiuq0Opesyrp8Jf
j3b+oMLv+KV7Zh8HgE5BUsz+WYlPiqtl5O4Nc/nOtdTgJAYP2yQGrKr1
-----END PRIVATE KEY-----`
