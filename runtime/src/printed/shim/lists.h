// Lists of one to eight items: `WS_LIST_2(WS_PARAMETER, int, a)` is `int a0, int a1`.
#define WS_LIST_1(item, of, name) item(of, name, 0)
#define WS_LIST_2(item, of, name) WS_LIST_1(item, of, name), item(of, name, 1)
#define WS_LIST_3(item, of, name) WS_LIST_2(item, of, name), item(of, name, 2)
#define WS_LIST_4(item, of, name) WS_LIST_3(item, of, name), item(of, name, 3)
#define WS_LIST_5(item, of, name) WS_LIST_4(item, of, name), item(of, name, 4)
#define WS_LIST_8(item, of, name) WS_LIST_5(item, of, name), item(of, name, 5), item(of, name, 6), item(of, name, 7)
#define WS_PARAMETER(type, name, i) type name##i
#define WS_REFERENCE(type, name, i) type& name##i
#define WS_LISTED(type, name, i) name##i
#define WS_TAKE(from, name, i) name##i = from[i]
