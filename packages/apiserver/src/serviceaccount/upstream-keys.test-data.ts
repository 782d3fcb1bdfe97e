/** Public keys, tokens that upstream's library signed with the private keys, and upstream's JWKs for them. */
export const upstreamKeys = [
  {
    name: 'P-256',
    algorithm: 'ES256',
    pem: '-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEsZFlsRNcftbLwu7FAIEEo3LAHks8\nuW4hz+Z60zX1c1MT1AHidlYnLFcwYPg6IQjsrbh+h5tfmOy87qfdQOQpNA==\n-----END PUBLIC KEY-----\n',
    token:
      'eyJhbGciOiJFUzI1NiIsImtpZCI6IlRHYUliZFVJUDJEQnJBZnE1NzRLRG80VkhOTzB4N2xyS3Z3OEpaYWVyQ3MifQ.eyJhdWQiOlsiYVx1MDAyNmIiXSwiaXNzIjoiaHR0cHM6Ly9pc3N1ZXIiLCJzdWIiOiJzIiwieCI6InkifQ.ZYJX_pDXMc9dFufwNq7ni-OinN5tSjqWZUgxIvilPw9Qlr1d8fo1Z07plO08aY7ysvoeOjDtfrs4mhw7Vhq2tg',
    jwk: '{"use":"sig","kty":"EC","kid":"TGaIbdUIP2DBrAfq574KDo4VHNO0x7lrKvw8JZaerCs","crv":"P-256","alg":"ES256","x":"sZFlsRNcftbLwu7FAIEEo3LAHks8uW4hz-Z60zX1c1M","y":"E9QB4nZWJyxXMGD4OiEI7K24foebX5jsvO6n3UDkKTQ"}',
  },
  {
    name: 'P-384',
    algorithm: 'ES384',
    pem: '-----BEGIN PUBLIC KEY-----\nMHYwEAYHKoZIzj0CAQYFK4EEACIDYgAEh7KnUM5DxhSXbdh2j6jB89R/77YLutNd\nI2XkkGbObrJ71uFmnDhqFwnm8O3DZFWXtKhmENoRhydNMTLj0RuWgqpBxoolsHFV\nQs3nR//LKAW0Ryxq+mRiMhsWp4HFDKTL\n-----END PUBLIC KEY-----\n',
    token:
      'eyJhbGciOiJFUzM4NCIsImtpZCI6Ii0xdC01MGdMc29RRWdILXZQRkVydXc1T01PYTQySWwxQnZEOTI4dUlrRmMifQ.eyJhdWQiOlsiYVx1MDAyNmIiXSwiaXNzIjoiaHR0cHM6Ly9pc3N1ZXIiLCJzdWIiOiJzIiwieCI6InkifQ.Pi9Cp78EDsD3YypFqV2YwzeR23O1oLUrUzrWbxemDFWW9pJIjliJAQoC_VOuf_COymCtEnnWChShr92_zZ2JzvQ76tjr7O2eNoP7XMilDZCtyxUNWPa_NzOQ6_L18Emm',
    jwk: '{"use":"sig","kty":"EC","kid":"-1t-50gLsoQEgH-vPFEruw5OMOa42Il1BvD928uIkFc","crv":"P-384","alg":"ES384","x":"h7KnUM5DxhSXbdh2j6jB89R_77YLutNdI2XkkGbObrJ71uFmnDhqFwnm8O3DZFWX","y":"tKhmENoRhydNMTLj0RuWgqpBxoolsHFVQs3nR__LKAW0Ryxq-mRiMhsWp4HFDKTL"}',
  },
  {
    name: 'P-521',
    algorithm: 'ES512',
    pem: '-----BEGIN PUBLIC KEY-----\nMIGbMBAGByqGSM49AgEGBSuBBAAjA4GGAAQA5a4Rrv1KlZoUZXsvq8DfFt8riABO\nC/0Pza7c26wjB9qGiUX46lcN7Wh/UckeyhKdGZMXQPy8M0tXbCh8APSKvbYB0nE9\nbpy8vCWeMINGHb1iZx1tz7dAOloBey8qih26gnwT+b02Kq4xLAt58B5WG3rFTmd2\nSGY1McEj42ozv3y4aWI=\n-----END PUBLIC KEY-----\n',
    token:
      'eyJhbGciOiJFUzUxMiIsImtpZCI6IlZWWll0TExHZDFGVlhuRER1dzM4eE9rZkF3SElzMXlycURqVjRvRnFLWkkifQ.eyJhdWQiOlsiYVx1MDAyNmIiXSwiaXNzIjoiaHR0cHM6Ly9pc3N1ZXIiLCJzdWIiOiJzIiwieCI6InkifQ.AQuHuET9AmKN7q5Afgti8UyNgkEgrvcJPh1S-5fy6d_eHJDKUSDcvmC7BvzfYcCN2rtDuPpVcJucPsQVvlOD9594AFvGlSxBiHgwQGdepBoHAhprRoYMyAfK7Sw_ZU2BFvRF4YU4QfcQM1GAeg8zoj0V0VlQGqT_clfHesVow_XOoJ4X',
    jwk: '{"use":"sig","kty":"EC","kid":"VVZYtLLGd1FVXnDDuw38xOkfAwHIs1yrqDjV4oFqKZI","crv":"P-521","alg":"ES512","x":"AOWuEa79SpWaFGV7L6vA3xbfK4gATgv9D82u3NusIwfaholF-OpXDe1of1HJHsoSnRmTF0D8vDNLV2wofAD0ir22","y":"AdJxPW6cvLwlnjCDRh29Ymcdbc-3QDpaAXsvKooduoJ8E_m9NiquMSwLefAeVht6xU5ndkhmNTHBI-NqM798uGli"}',
  },
  {
    name: 'RSA',
    algorithm: 'RS256',
    pem: '-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA2XPOh4ojmpT6VN59yZ0u\nD8pPQ0aRqsBzo4CCh/n1ich08835DtK7Kiahd+qet8wSWq8V9qdF6kmzrhrDzF9H\nSvh2EFagSPIh2Wdqnyyx6o/AefWzQ72K46FyYTo/tFMZ7DRFDLgXvs940OW+Xkni\nONr2El6XJLsK/DWCq8V8FOct5BTug8JQORH3gM78EiKMc4ifFnbtDcELmsxiRvrS\ngDYhp56Cg7pC3LClLdJ/Qx7rFoxj2YQtWRjeGHc3h4z0kVxUDV/BMjqSwd4EZMGQ\nQkitoHEv/lv3RjsoNoGSCxNjl4sHWusuDDV+3hCgEOnqECCRxkMqT6ymnltyBYtt\neQIDAQAB\n-----END PUBLIC KEY-----\n',
    token:
      'eyJhbGciOiJSUzI1NiIsImtpZCI6ImlBUDlua2E4Y0F3c3hrYUVaaWo3SThNUlUxZ1dYbGo0bTV2MV9oNDZicW8ifQ.eyJhdWQiOlsiYVx1MDAyNmIiXSwiaXNzIjoiaHR0cHM6Ly9pc3N1ZXIiLCJzdWIiOiJzIiwieCI6InkifQ.M5xARr4vBzKZ5JjkuCL_WF6Ex0g_HhhFLhRKjK9G3q7owRrwl8YSpKEhXE76HnuPra5wALtO4J-iEM8LBBqdVLssTWfYmoJBTEO7gSHZzWEdrZ47l-b2NDx2LJGecE6faFW_vrVWrxfSNK0mMsbnPFwWRaDrnBGJ6HkeH6qIUZeMu9q_qptC_efK7dkVgDCRLotVvsnSXMbgw4hyKsCBNak1GLDMlqU8J01r7RordPhzMhIu0R6_Nm28D0q11UF5xqXg4NK-hmbwfe8opcBT8069RjAvMReX9olWkNHNT_ar5iAXJ6hYfCyBcit-rdISs7GVdvFYwrwVKEcj3DDkeQ',
    jwk: '{"use":"sig","kty":"RSA","kid":"iAP9nka8cAwsxkaEZij7I8MRU1gWXlj4m5v1_h46bqo","alg":"RS256","n":"2XPOh4ojmpT6VN59yZ0uD8pPQ0aRqsBzo4CCh_n1ich08835DtK7Kiahd-qet8wSWq8V9qdF6kmzrhrDzF9HSvh2EFagSPIh2Wdqnyyx6o_AefWzQ72K46FyYTo_tFMZ7DRFDLgXvs940OW-XkniONr2El6XJLsK_DWCq8V8FOct5BTug8JQORH3gM78EiKMc4ifFnbtDcELmsxiRvrSgDYhp56Cg7pC3LClLdJ_Qx7rFoxj2YQtWRjeGHc3h4z0kVxUDV_BMjqSwd4EZMGQQkitoHEv_lv3RjsoNoGSCxNjl4sHWusuDDV-3hCgEOnqECCRxkMqT6ymnltyBYtteQ","e":"AQAB"}',
  },
] as const;
